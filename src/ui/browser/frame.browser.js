/**
 * What every page does in the browser: it says which clock is read here, looks again at what is live, and
 * sends commands to the API. Everything else is the page as the server sent it.
 */

const CSRF = meta("carillon-csrf");
const NAMESPACE = meta("carillon-namespace");

/** @param {string} name */
function meta(name) {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
}

// ── the clock that is read here ──────────────────────────────────────────────────────────────────

/** The server writes times on this zone's clock; once it knows it, nothing has to be rewritten here. */
function tellZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const told = `zone=${encodeURIComponent(timeZone)}`;
  if (!timeZone || document.cookie.split("; ").includes(told)) return;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${told}; path=/; max-age=31536000; samesite=strict${secure}`;
  // Only what was just told can make the page any different, so this happens once.
  const isShown = document.documentElement.dataset.zone === timeZone;
  if (!isShown && CSRF !== "" && document.cookie.includes(told)) location.reload();
}

// ── what is live ─────────────────────────────────────────────────────────────────────────────────

/** Fetches each live part again every few seconds, as long as somebody looks at the page. */
function watch() {
  for (const part of document.querySelectorAll("[data-live]")) {
    if (!(part instanceof HTMLElement)) continue;
    const every = Number(part.dataset.every) * 1000;
    const timer = setInterval(async () => {
      if (document.hidden || part.contains(document.activeElement)) return;
      const goesOn = await refresh(part).catch(() => true);
      if (!goesOn) clearInterval(timer);
    }, every);
  }
}

/**
 * False: the session is over, and asking again would not help.
 * @param {HTMLElement} part
 */
async function refresh(part) {
  const response = await fetch(part.dataset.live ?? "", { redirect: "manual" });
  if (response.type === "opaqueredirect") return false;
  if (!response.ok) return true;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").body;
  if (fresh.innerHTML === part.dataset.shown) return true;
  part.dataset.shown = fresh.innerHTML;
  part.replaceChildren(...fresh.childNodes);
  part.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
  return true;
}

// ── commands ─────────────────────────────────────────────────────────────────────────────────────

/**
 * A call of the API with the session of this page; the header proves that it comes from here.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 */
export async function call(method, path, body, headers = {}) {
  const response = await fetch(path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      "carillon-csrf": CSRF,
      "carillon-namespace": NAMESPACE,
      ...headers,
    },
  });
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
  return { ok: response.ok, status: response.status, answer: isJson ? await response.json() : null };
}

/**
 * The sentences of a problem document, with the fields that they blame.
 * @param {{ detail?: string, hint?: string, errors?: { detail: string, hint?: string }[] } | null} problem
 */
export function sentencesOf(problem) {
  if (!problem) return ["The scheduler gave no answer that could be read. Try again."];
  return (problem.errors ?? [problem]).flatMap(({ detail = "", hint = "" }) =>
    [detail, hint].filter(Boolean),
  );
}

/**
 * The fields of a form as the API's JSON. An empty one is left out; `data-type` says what is no text.
 * @param {HTMLFormElement} form
 * @param {Element | null} [submitter]
 */
export function bodyOf(form, submitter) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of form.elements) {
    if (!isField(field) || field.name === "" || field.disabled) continue;
    if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) {
      if (field.type === "checkbox") body[field.name] = field.checked;
      else if (field.checked && field.value !== "") body[field.name] = field.value;
    } else if (field.value !== "") {
      body[field.name] = readValue(field.value, field.dataset.type);
    }
  }
  if (submitter instanceof HTMLButtonElement && submitter.name !== "")
    body[submitter.name] = readValue(submitter.value, submitter.dataset.type);
  return body;
}

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement}
 */
function isField(element) {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  );
}

/**
 * @param {string} text
 * @param {string | undefined} type
 */
function readValue(text, type) {
  if (type === "json") return JSON.parse(text);
  if (type === "number") return Number(text);
  if (type === "boolean") return text === "true";
  if (type === "instant") return new Date(text).toISOString();
  return text;
}

/**
 * `<form data-api="POST /v1/…">` is sent to the API. What the API refuses is said in the form's `[role=alert]`; what
 * it did is seen on the page of `data-then` (`{id}`: of what was made), or on this one, loaded again.
 * @param {SubmitEvent} event
 */
async function command(event) {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.api === undefined) return;
  event.preventDefault();
  const [method = "", path = ""] = form.dataset.api.split(" ");
  const button = event.submitter;
  if (button instanceof HTMLButtonElement) button.disabled = true;
  const trouble = form.querySelector("[role=alert]");
  try {
    const { ok, answer } = await call(method, path, bodyOf(form, button));
    if (
      ok &&
      form.dispatchEvent(new CustomEvent("done", { bubbles: true, cancelable: true, detail: answer }))
    ) {
      if (form.dataset.then) location.assign(placeOf(form.dataset.then, answer));
      else location.reload();
    }
    trouble?.replaceChildren(ok ? "" : sentencesOf(answer).join(" "));
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    trouble?.replaceChildren(
      isSyntax ? `This is no JSON: ${error.message}` : "The scheduler cannot be reached. Try again.",
    );
  } finally {
    if (button instanceof HTMLButtonElement) button.disabled = false;
  }
}

/**
 * `{id}` stands for what was made.
 * @param {string} place
 * @param {{ id?: string } | null} answer
 */
function placeOf(place, answer) {
  return place.replace("{id}", encodeURIComponent(answer?.id ?? ""));
}

// ── what is pressed ──────────────────────────────────────────────────────────────────────────────

/**
 * `data-open="<id>"` opens a dialog, `data-close` closes the one around it, `data-copy="<id>"` copies a text.
 * @param {MouseEvent} event
 */
async function press(event) {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (!button) return;
  const { open, copy, close } = button.dataset;
  const dialog = open === undefined ? null : document.getElementById(open);
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
  if (close !== undefined) button.closest("dialog")?.close();
  if (copy !== undefined) {
    await navigator.clipboard.writeText(document.getElementById(copy)?.textContent ?? "");
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  }
}

/**
 * A menu closes when something else is meant.
 * @param {Event} event
 */
function closeMenus(event) {
  const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
  if (event instanceof KeyboardEvent && !isEscape) return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!isEscape && event.target instanceof Node && menu.contains(event.target)) continue;
    menu.removeAttribute("open");
    if (isEscape) menu.querySelector("summary")?.focus();
  }
}

tellZone();
watch();
document.addEventListener("submit", (event) => void command(event));
document.addEventListener("click", (event) => void press(event));
document.addEventListener("click", closeMenus);
document.addEventListener("keydown", closeMenus);
