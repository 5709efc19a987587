/** The reference, searched: operations that do not have all the words are hidden; the one that is linked to opens. */
const field = document.querySelector("#docs-search");
/** @type {HTMLDetailsElement[]} */
const calls = [...document.querySelectorAll("details")].filter((one) => one.matches(".call"));

/** @param {string} asked */
function search(asked) {
  const words = asked.toLowerCase().split(/\s+/);
  for (const call of calls) {
    const text = call.dataset.text ?? "";
    call.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of document.querySelectorAll("section.calls"))
    group.toggleAttribute(
      "hidden",
      calls.every((call) => call.hidden || !group.contains(call)),
    );
}

function open() {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const call = calls.find((one) => one === linked);
  if (!call) return;
  call.hidden = false;
  call.open = true;
  call.scrollIntoView();
}

if (field instanceof HTMLInputElement) field.addEventListener("input", () => search(field.value));
addEventListener("hashchange", open);
open();
