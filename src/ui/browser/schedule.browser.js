/** The page of a schedule: the strip under keyboard and pointer, and the backfill that is looked at before it runs. */

// ── the strip ────────────────────────────────────────────────────────────────────────────────────

/** @param {Event} event */
function cellOf(event) {
  const cell = event.target instanceof Element ? event.target.closest(".strip a") : null;
  return cell instanceof HTMLAnchorElement ? cell : null;
}

/** @param {Event} event */
function read(event) {
  const cell = cellOf(event);
  const line = cell?.closest("[data-strip]")?.querySelector("[data-readout]");
  if (cell && line) line.textContent = cell.title;
}

/**
 * One cell is in the tab order; the arrow keys, Home and End go through the others.
 * @param {KeyboardEvent} event
 */
function walk(event) {
  const cell = cellOf(event);
  const cells = [...(cell?.closest(".strip")?.querySelectorAll("a") ?? [])];
  if (!cell || cells.length === 0) return;
  const at = cells.indexOf(cell);
  /** @type {Record<string, number>} */
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1 };
  const next = cells[to[event.key] ?? -1];
  if (!next) return;
  event.preventDefault();
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

document.addEventListener("pointerover", read);
document.addEventListener("focusin", read);
document.addEventListener("keydown", walk);

// ── the backfill ─────────────────────────────────────────────────────────────────────────────────

const SHOWN = 8;

/**
 * A dry run shows what would run, and only then there is a button that runs it.
 * @param {Event} event
 */
function afterBackfill(event) {
  const form = event.target;
  if (
    !(form instanceof HTMLFormElement) ||
    !(event instanceof CustomEvent) ||
    !form.matches("[data-backfill]")
  )
    return;
  /** @type {{ dryRun: boolean, count: number, slots: string[], more: boolean, leftOut: { succeeded: number, open: number } }} */
  const answer = event.detail;
  if (!answer.dryRun && answer.count > 0) return;
  event.preventDefault();
  const { count, slots, more, leftOut } = answer;
  const left = [
    leftOut.succeeded > 0 ? `${leftOut.succeeded} that have succeeded` : "",
    leftOut.open > 0 ? `${leftOut.open} that are open` : "",
  ].filter(Boolean);
  const said =
    count === 0
      ? "No slot of this range is left to run."
      : `${count} ${count === 1 ? "slot" : "slots"} would run, in this order:`;
  const list = document.createElement("ol");
  for (const slot of slots.slice(0, SHOWN)) list.append(item(slot.replace("T", " ").replace("Z", " UTC")));
  if (count > SHOWN) list.append(item(`and ${count - SHOWN} more`));
  const beside = [
    left.length > 0 ? `Left out: ${left.join(" and ")}.` : "",
    more ? "The range goes on beyond these." : "",
  ];
  form
    .querySelector("[data-outcome]")
    ?.replaceChildren(paragraph(said), list, paragraph(beside.join(" ").trim()));
  offer(form, count);
}

/**
 * @param {HTMLFormElement} form
 * @param {number} count
 */
function offer(form, count) {
  const confirm = form.querySelector("[data-confirm]");
  if (!(confirm instanceof HTMLButtonElement)) return;
  confirm.hidden = count === 0;
  confirm.textContent = `Run ${count === 1 ? "this slot" : `these ${count}`}`;
}

/** @param {string} text */
function item(text) {
  const li = document.createElement("li");
  li.textContent = text;
  return li;
}

/** @param {string} text */
function paragraph(text) {
  const p = document.createElement("p");
  p.textContent = text;
  return p;
}

/**
 * What was looked at is not what would run any more.
 * @param {Event} event
 */
function forget(event) {
  const form = event.target instanceof Element ? event.target.closest("form[data-backfill]") : null;
  if (!(form instanceof HTMLFormElement)) return;
  form.querySelector("[data-outcome]")?.replaceChildren();
  offer(form, 0);
}

document.addEventListener("done", afterBackfill);
document.addEventListener("input", forget);
