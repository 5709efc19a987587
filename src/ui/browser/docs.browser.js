/** The reference, searched: operations that do not have all the words are hidden; the one that is linked to opens. */
const field = document.querySelector("#docs-search");
const calls = [...document.querySelectorAll("details.call")];

function search() {
  const words = field.value.toLowerCase().split(/\s+/);
  for (const call of calls) {
    const text = call.dataset.text ?? "";
    call.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of document.querySelectorAll("section.calls"))
    group.hidden = [...group.querySelectorAll("details.call")].every((call) => call.hidden);
}

function open() {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!linked?.matches("details.call")) return;
  linked.hidden = false;
  linked.open = true;
  linked.scrollIntoView();
}

field?.addEventListener("input", search);
addEventListener("hashchange", open);
open();
