/** How mistakes and refusals are told. */
import type { CarillonError, Problem } from "../client/index.ts";
import type { Entry, Fault } from "./source.ts";
import { plain, type Terminal } from "./terminal.ts";

export function tellFaults(faults: Fault[], { note, paint }: Terminal): void {
  for (const { file, line, column, field, message, hint } of faults) {
    const place = file === undefined ? "" : `${file}:${line}:${column}: `;
    note(
      `${paint("bold", place)}${field === undefined ? "" : `${plain(field)}: `}${paint("red", plain(message))}`,
    );
    if (hint !== undefined) note(`  ${plain(hint)}`);
  }
}

export function tellError(
  { message, code, status, hint, errors }: CarillonError,
  { note, paint }: Terminal,
): void {
  note(`${paint("red", plain(message))} ${paint("dim", `(${code}${status > 0 ? `, ${status}` : ""})`)}`);
  if (hint !== undefined) note(`  ${plain(hint)}`);
  for (const other of errors.slice(1))
    note(`${plain(other.detail)}${other.hint === undefined ? "" : ` ${plain(other.hint)}`}`);
}

/** A refusal of `apply` blames schedules by their number in the call; people know them by file, line and name. */
export function faultOf({ pointer = "", detail, hint }: Problem, entries: readonly Entry[]): Fault {
  const [, index, rest = ""] = /^\/schedules\/(\d+)(.*)$/.exec(pointer) ?? [];
  const entry = index === undefined ? undefined : entries[Number(index)];
  if (!entry) return { message: detail, hint };
  const name =
    typeof entry.definition.name === "string" ? entry.definition.name : "a schedule without a name";
  const path = rest.slice(1).replaceAll("/", ".");
  const message = detail.replace(`schedules.${index}.`, "");
  return { ...entry.placeOf(rest), field: path === "" ? name : `${path} of ${name}`, message, hint };
}
