"use strict";
(() => {
  const field = (id) => document.getElementById(id);
  const groups = [...document.querySelectorAll(".matrix tbody")].map((body) => ({
    body,
    rows: [...body.rows].slice(1).map((row) => ({
      row,
      text: row.cells[0].textContent.toLowerCase(),
      verdicts: [...row.cells].slice(1).map((cell) => cell.className),
    })),
  }));
  const head = document.querySelector(".matrix thead tr");
  const differs = (verdicts) => new Set(verdicts).size > 1;
  // Of one candidate only its column stays; what differs is about all of them.
  const show = (row, chosen) => {
    [...row.cells].forEach((cell, at) => {
      cell.hidden = at > 0 && Boolean(chosen) && at !== chosen;
    });
  };
  const apply = () => {
    const chosen = Number(field("candidate").value);
    const different = Boolean(field("differs")?.checked);
    show(head, chosen);
    const area = field("area").value;
    const verdict = field("verdict").value;
    const text = field("text").value.toLowerCase();
    let count = 0;
    for (const { body, rows } of groups) {
      let some = false;
      for (const { row, text: own, verdicts } of rows) {
        const asked = chosen ? [verdicts[chosen - 1]] : verdicts;
        const fits = (!verdict || asked.includes(verdict)) && (!different || differs(verdicts));
        const kept = fits && (!area || body.id === area) && own.includes(text);
        show(row, chosen);
        row.hidden = !kept;
        some ||= kept;
        count += kept ? 1 : 0;
      }
      body.hidden = !some;
    }
    field("count").textContent = `${count} shown`;
  };
  // matrix.html#verdict=fail&text=tie opens filtered, and the address follows the choice: it can be sent on.
  const names = ["area", "candidate", "verdict", "text"];
  const remember = () => {
    const chosen = names.filter((name) => field(name).value).map((name) => [name, field(name).value]);
    if (field("differs")?.checked) chosen.push(["differs", "1"]);
    history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
  };
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of names) {
    if (given.has(name)) field(name).value = given.get(name);
  }
  if (given.has("differs") && field("differs")) field("differs").checked = true;
  field("filter").hidden = false;
  field("filter").addEventListener("input", () => {
    apply();
    remember();
  });
  field("filter").addEventListener("submit", (event) => event.preventDefault());
  apply();
})();
