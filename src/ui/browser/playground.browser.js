/** The playground: asks for the page again as one types, and puts its answer and its complaints in place. */
import { call, sentencesOf } from "./frame.browser.js";

const PAUSE_MS = 250;
const draft = /** @type {HTMLFormElement} */ (document.getElementById("draft"));
/** @type {AbortController | null} */
let asking = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function address() {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(draft)) if (typeof value === "string") query.set(name, value);
  return `${location.pathname}?${query}`;
}

async function ask() {
  asking?.abort();
  asking = new AbortController();
  const place = address();
  draft.dataset.state = "asking";
  try {
    const response = await fetch(place, { signal: asking.signal, redirect: "manual" });
    if (response.type === "opaqueredirect") return location.reload();
    put(new DOMParser().parseFromString(await response.text(), "text/html"));
    history.replaceState(null, "", place);
    draft.dataset.state = "shown";
  } catch (error) {
    if (!(error instanceof DOMException)) throw error; // a later question took its place
  }
}

/** @param {Document} page */
function put(page) {
  const [fresh, shown] = [page.getElementById("answer"), document.getElementById("answer")];
  if (!fresh || !shown) return;
  const open = [...shown.querySelectorAll("details")].map((details) => details.open);
  shown.replaceChildren(...fresh.childNodes);
  shown.querySelectorAll("details").forEach((details, i) => (details.open = open[i] ?? false));
  for (const trouble of draft.querySelectorAll("[data-trouble]")) {
    const said = page.getElementById(trouble.id)?.textContent ?? "";
    if (trouble.textContent !== said) trouble.textContent = said;
    const blamed = document.getElementById(trouble.id.replace("-trouble", ""));
    if (said.trim() === "") blamed?.removeAttribute("aria-invalid");
    else blamed?.setAttribute("aria-invalid", "true");
  }
}

/**
 * @param {string} name
 * @param {HTMLFormElement} form
 */
function field(name, form = draft) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

function showKind() {
  const kind = field("kind").value;
  for (const part of draft.querySelectorAll("[data-for]"))
    if (part instanceof HTMLElement) part.hidden = !part.dataset.for?.split(" ").includes(kind);
}

draft.addEventListener("input", () => {
  showKind();
  clearTimeout(timer);
  timer = setTimeout(() => void ask(), PAUSE_MS);
});
draft.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  void ask();
});
document
  .getElementById("zones")
  ?.replaceChildren(...["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => new Option(zone, zone)));

// ── the downtime, drawn ──────────────────────────────────────────────────────────────────────────

/** @type {number | null} */
let begun = null;

/** @param {PointerEvent} event */
function shareAt(event) {
  const picture = document.querySelector("[data-timeline]");
  if (!picture) return 0;
  const { left, width } = picture.getBoundingClientRect();
  return Math.min(100, Math.max(0, Math.round(((event.clientX - left) / width) * 200) / 2));
}

/** @param {PointerEvent} event */
function draw(event) {
  if (begun === null) return;
  const at = shareAt(event);
  field("downFrom").value = String(Math.min(begun, at));
  field("downFor").value = String(Math.abs(at - begun));
}

document.addEventListener("pointerdown", (event) => {
  if (!(event.target instanceof Element) || !event.target.closest("[data-timeline]")) return;
  event.preventDefault();
  begun = shareAt(event);
});
document.addEventListener("pointermove", draw);
document.addEventListener("pointerup", (event) => {
  if (begun === null) return;
  draw(event);
  begun = null;
  void ask();
});

// ── creating it ──────────────────────────────────────────────────────────────────────────────────

/** @param {SubmitEvent} event */
async function create(event) {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.create === undefined) return;
  event.preventDefault();
  const trouble = form.querySelector("[role=alert]");
  const name = field("name", form).value;
  const payload = field("payload", form).value.trim();
  try {
    const definition = JSON.parse(document.getElementById("as-json")?.textContent ?? "{}");
    const body = {
      ...definition,
      target: { queue: field("queue", form).value },
      ...(payload === "" ? {} : { payload: JSON.parse(payload) }),
      ...(field("paused", form).checked ? { paused: true } : {}),
    };
    const path = `/v1/schedules/${encodeURIComponent(name)}`;
    const { ok, answer } = await call("PUT", path, body, { "if-none-match": "*" });
    if (ok) return location.assign(form.dataset.create.replace("{name}", encodeURIComponent(name)));
    trouble?.replaceChildren(sentencesOf(answer).join(" "));
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    trouble?.replaceChildren(
      isSyntax ? `This is no JSON: ${error.message}` : "The scheduler cannot be reached. Try again.",
    );
  }
}

document.addEventListener("submit", (event) => void create(event));
