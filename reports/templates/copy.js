"use strict";
(() => {
  // Without JavaScript there are no buttons: a command can be selected as any text.
  const say = (button, word) => {
    button.textContent = word;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  };
  const select = (source) => {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");
  };
  for (const source of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        say(button, "Copied");
      } catch {
        say(button, select(source) ? "Copied" : "Selected");
      }
    });
    source.after(button);
  }
})();
