"use strict";
(() => {
  const field = (id) => document.getElementById(id);
  const groups = [...document.querySelectorAll(".matrix tbody")].map((body) => ({
    body,
    rows: [...body.rows].slice(1).map((row) => ({
      row,
      text: row.cells[0].textContent.toLowerCase(),
      verdicts: new Set([...row.cells].slice(1).map((cell) => cell.className)),
    })),
  }));
  const apply = () => {
    const area = field("area").value;
    const verdict = field("verdict").value;
    const text = field("text").value.toLowerCase();
    let count = 0;
    for (const { body, rows } of groups) {
      let some = false;
      for (const { row, text: own, verdicts } of rows) {
        const kept = (!area || body.id === area) && (!verdict || verdicts.has(verdict)) && own.includes(text);
        row.hidden = !kept;
        some ||= kept;
        count += kept ? 1 : 0;
      }
      body.hidden = !some;
    }
    field("count").textContent = `${count} shown`;
  };
  // matrix.html#verdict=fail&text=tie opens filtered, and the address follows the choice: it can be sent on.
  const names = ["area", "verdict", "text"];
  const remember = () => {
    const chosen = names.filter((name) => field(name).value).map((name) => [name, field(name).value]);
    history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
  };
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of names) {
    if (given.has(name)) field(name).value = given.get(name);
  }
  field("filter").hidden = false;
  field("filter").addEventListener("input", () => {
    apply();
    remember();
  });
  field("filter").addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
