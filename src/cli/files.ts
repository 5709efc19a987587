import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { UsageError } from "./command.ts";

/** A file that was named on the command line; `-` is stdin. */
export async function readText(file: string): Promise<string> {
  if (file === "-") return text(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const why = error.code === "ENOENT" ? "there is no such file" : String(error.code);
    throw new UsageError(`${file} can't be read: ${why}.`);
  }
}
