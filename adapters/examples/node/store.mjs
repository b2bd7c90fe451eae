// A small system in JavaScript, and its adapter: `node store.mjs` speaks Plumbline's protocol.
//
// The system is a store that every member holds in full. Members talk by messages alone, and each message
// takes its turn in the event loop. It needs Node 18 or newer and nothing else.

import { createInterface } from "node:readline";

// ---------------------------------------------------------------- the system: it knows nothing of Plumbline

/** Where all wait: whoever changes something rings, and each condition is looked at anew. */
class Bell {
  #waiting = new Set();

  ring() {
    for (const look of this.#waiting) look();
  }

  /** Whether a condition comes to hold within so many milliseconds. */
  until(ready, limitMs) {
    if (ready()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (held) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(held);
      };
      const look = () => ready() && end(true);
      const timer = setTimeout(end, limitMs, false);
      this.#waiting.add(look);
    });
  }
}

/** Work that is done one after the other, line by line: the calls of a thread, a connection, an entry's lock. */
class Lines {
  #last = new Map();

  add(line, work) {
    const done = (this.#last.get(line) ?? Promise.resolve()).then(work);
    this.#last.set(line, done);
    return done;
  }
}

class Store {
  /** The listener is told of a member and a change, while the entry is locked, and may take its time. */
  constructor(members, listener, waitsForAnswers) {
    this.members = members;
    this.bell = new Bell();
    this.discarded = new Map(members.map((member) => [member, 0]));
    this.listener = listener;
    this.waitsForAnswers = waitsForAnswers;
    this.copies = new Map(members.map((member) => [member, new Map()]));
    this.lines = new Lines();
    this.moving = 0; // messages on their way, and calls that have not begun
  }

  /** The entries that a member holds: value by key, null where an entry has lost its value. */
  contents(member) {
    return [...this.copies.get(member)].filter(([, entry]) => entry.there).map(([key, { value }]) => [key, value]);
  }

  /** An operation: how it ended and what it gave back. A thread's operations follow each other. */
  call(thread, member, kind, key, tag) {
    return this.lines.add(`thread ${thread}`, async () => {
      await this.#turn();
      if (kind === "get" || kind === "contains_key") {
        const entry = this.#entry(member, key);
        return ["ok", kind === "get" ? entry.value : String(entry.there)];
      }
      const [ending, value, change] = await this.#locked(member, key, async () => {
        const { there, value: old, version } = this.#entry(member, key);
        const [how, back, becomes] = decided(kind, there, old);
        const made = becomes && { kind: becomes, key, tag, version: version + 1, rank: this.members.indexOf(member) };
        if (made) await this.#apply(member, made);
        return [how, back, made];
      });
      if (change) {
        const others = this.members.filter((other) => other !== member);
        const answers = others.map((other) => this.lines.add(`${thread} to ${other}`, () => this.#arrive(other, change)));
        if (this.waitsForAnswers) await Promise.all(answers);
      }
      return [ending, value];
    });
  }

  /** A change arrives. It is applied if it is newer than what is there: a larger version, or a higher member. */
  async #arrive(member, change) {
    await this.#turn();
    await this.#locked(member, change.key, async () => {
      const { version, rank } = this.#entry(member, change.key);
      if (change.version > version || (change.version === version && change.rank > rank)) {
        await this.#apply(member, change);
      } else {
        this.discarded.set(member, this.discarded.get(member) + 1);
      }
    });
  }

  /** What is destroyed leaves its version behind, so that what comes late still loses. */
  async #apply(member, { kind, key, tag, version, rank }) {
    const value = kind === "update" ? tag : null;
    this.copies.get(member).set(key, { there: kind !== "destroy", value, version, rank });
    await this.listener(member, { kind, key, tag });
  }

  #entry(member, key) {
    return this.copies.get(member).get(key) ?? { there: false, value: null, version: 0, rank: -1 };
  }

  #locked(member, key, work) {
    return this.lines.add(`entry ${JSON.stringify([member, key])}`, work);
  }

  async #turn() {
    this.moving += 1;
    await new Promise(setImmediate);
    this.moving -= 1;
    this.bell.ring();
  }
}

/** How an operation ends, what it gives back, and what it does to the entry (undefined: nothing). */
function decided(kind, there, old) {
  switch (kind) {
    case "put":
      return ["ok", null, "update"];
    case "create":
      return there ? ["exists", null] : ["ok", null, "update"];
    case "put_if_absent":
      return there ? ["ok", old] : ["ok", null, "update"];
    case "replace":
      return there ? ["ok", old, "update"] : ["ok", null];
    default: // destroy, invalidate
      return there ? ["ok", null, kind] : ["absent", null];
  }
}

// ---------------------------------------------------------------- the adapter: a method for each of the protocol's

const OPERATIONS = ["put", "create", "put_if_absent", "replace", "destroy", "invalidate", "get", "contains_key"];

class RefusedRequest extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const unsupported = (message) => new RefusedRequest(-32001, message);
const place = ({ member, op_id }) => `${member} ${op_id}`;

class Adapter {
  members = [];
  done = false;

  hello() {
    const capabilities = ["replicated_regions", "listener_gates", "statistics"];
    return { protocol: 1, name: "store in JavaScript", version: "1", capabilities, order_strength: "per_key" };
  }

  deploy({ topology }) {
    if (topology.sites.length > 1) throw unsupported("the store has no gateways");
    this.members = [...topology.sites[0].members].sort();
    return { member_order: this.members };
  }

  /** A new store each time, so that nothing of the last example can show. */
  reset({ regions }) {
    if (regions.length > 1) throw unsupported("the store has one region");
    const [{ name, scope }] = regions;
    Object.assign(this, { region: name, events: [], outcomes: new Map(), closed: new Set(), parked: new Map() });
    const example = this.events;
    this.opIds = new Map();
    this.store = new Store(
      this.members,
      (member, change) => example === this.events && this.told(member, change),
      scope === "distributed_ack",
    );
    return {};
  }

  begin({ operation: { op_id, thread, member, kind, key, token } }) {
    if (!OPERATIONS.includes(kind)) throw unsupported(`the store has no ${kind}`);
    const { store, outcomes } = this;
    this.opIds.set(token, op_id);
    store.call(thread, member, kind, key, token).then(([status, value]) => {
      outcomes.set(op_id, { status, value });
      store.bell.ring();
    });
    return {};
  }

  async finish({ op_id, timeout_ms }) {
    await this.store.bell.until(() => this.outcomes.has(op_id), timeout_ms);
    return { outcome: this.outcomes.get(op_id) ?? null };
  }

  /** The listener of every member: it writes its log first, and then stands still if a gate is closed. */
  async told(member, { kind, key, tag }) {
    this.events.push({ member, region: this.region, key, kind, token: tag });
    const gate = place({ member, op_id: this.opIds.get(tag) });
    if (!this.closed.has(gate)) return;
    await new Promise((go) => {
      this.parked.set(gate, { member, key, go });
      this.store.bell.ring();
    });
  }

  arm({ gate }) {
    this.closed.add(place(gate));
    return {};
  }

  async await_parked({ gate, timeout_ms }) {
    return { parked: await this.store.bell.until(() => this.parked.has(place(gate)), timeout_ms) };
  }

  release({ gate }) {
    this.closed.delete(place(gate));
    this.parked.get(place(gate))?.go();
    this.parked.delete(place(gate));
    return {};
  }

  /** Nothing happens by itself once no message is on its way: all else waits for a lock, a gate or an answer. */
  async settle({ timeout_ms }) {
    let settled;
    do {
      settled = await this.store.bell.until(() => this.store.moving === 0, timeout_ms);
      await new Promise(setImmediate); // what the last message has set free goes on before this comes back
    } while (settled && this.store.moving > 0);
    return { settled, held: [...this.parked.values()].map(({ member, key }) => [member, key]) };
  }

  observe({ since }) {
    return { events: this.events.slice(since), position: this.events.length };
  }

  contents({ member }) {
    return { entries: this.store.contents(member).map(([key, token]) => ({ key, token })) };
  }

  statistic({ member, name }) {
    if (name !== "conflatedEvents") throw unsupported(`the store does not count ${name}`);
    return { value: this.store.discarded.get(member) };
  }

  close() {
    this.done = true;
    return {};
  }
}

// ---------------------------------------------------------------- JSON-RPC 2.0, a message a line

const FIELDS = {
  hello: ["protocol"],
  deploy: ["topology"],
  reset: ["regions"],
  begin: ["operation"],
  finish: ["op_id", "timeout_ms"],
  arm: ["gate"],
  await_parked: ["gate", "timeout_ms"],
  release: ["gate"],
  settle: ["timeout_ms"],
  observe: ["since"],
  contents: ["member", "region"],
  statistic: ["member", "name"],
  close: [],
};

async function answered(adapter, line) {
  let id = null;
  try {
    const request = JSON.parse(line);
    id = request.id ?? null;
    const { method, params = {} } = request;
    if (typeof method !== "string") throw new RefusedRequest(-32600, "no request of JSON-RPC 2.0");
    if (!Object.hasOwn(FIELDS, method)) throw new RefusedRequest(-32601, `no method ${method}`);
    const unknown = Object.keys(params).find((name) => !FIELDS[method].includes(name));
    if (unknown !== undefined) throw new RefusedRequest(-32602, `${method} has no field ${unknown}`);
    return { jsonrpc: "2.0", id, result: await adapter[method](params) };
  } catch (error) {
    const code = error.code ?? (error instanceof SyntaxError ? -32700 : -32603);
    return { jsonrpc: "2.0", id, error: { code, message: error.message } };
  }
}

const adapter = new Adapter();
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answered(adapter, line))}\n`);
  if (adapter.done) break;
}
process.exit();
