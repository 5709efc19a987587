/** A name for a command line: the program that does the work, behind all that only prepares it. */

interface Helper {
  /** Words of its own before the command that it runs. */
  operands?: number;
  /** Options that take the next word. */
  valued?: string[];
}
const HELPERS: { [name: string]: Helper } = {
  sudo: { valued: ["-u", "-g"] },
  nice: { valued: ["-n"] },
  ionice: { valued: ["-c", "-n"] },
  timeout: { operands: 1, valued: ["-k", "-s"] },
  flock: { operands: 1, valued: ["-w", "-E"] },
  cd: { operands: 1 },
};
/** What only runs what comes next. */
const RUNNERS = new Set(
  "env nohup exec time chronic run-parts sh bash dash zsh php python python3 perl ruby node java".split(" "),
);
const FETCHERS = new Set(["curl", "wget", "fetch"]);
const OPERATOR = /^(?:&&|\|\||[;|(){}])$/;
const NAME_CHARS_MAX = 60;

export function nameOf(command: string): string | null {
  const words = wordsOf(command);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const base = baseOf(word);
    if (word === "test" || word === "[") {
      while (i + 1 < words.length && !OPERATOR.test(words[i]!)) i++;
    } else if (FETCHERS.has(base)) {
      const address = words.slice(i + 1).find((it) => /^https?:/.test(it));
      return slug(address && URL.canParse(address) ? addressOf(new URL(address)) : base);
    } else if (Object.hasOwn(HELPERS, base)) i = afterHelper(words, i, HELPERS[base]!);
    else if (RUNNERS.has(base)) i = afterHelper(words, i, {});
    else if (!OPERATOR.test(word) && !/^\w+=/.test(word) && !word.startsWith("-")) {
      const next = words[i + 1] ?? "";
      return slug(/^[a-z][\w:-]*$/i.test(next) ? `${base}-${next}` : base);
    }
  }
  return null;
}

function afterHelper(words: string[], at: number, { operands = 0, valued = [] }: Helper): number {
  let i = at;
  while (words[i + 1]?.startsWith("-")) i += valued.includes(words[i + 1]!) ? 2 : 1;
  return i + operands;
}

function wordsOf(command: string): string[] {
  return (command.match(/&&|\|\||[;|(){}]|[^\s;|(){}&]+|&/g) ?? [])
    .map((word) => word.replaceAll(/["'`]/g, ""))
    .filter((word) => word !== "");
}

function baseOf(word: string): string {
  const path = word.replace(/\/+$/, "");
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.(?:sh|bash|py|php|pl|rb|js|jar)$/, "");
}

/** Without the query: keys stand there. */
function addressOf({ hostname, pathname }: URL): string {
  return `${hostname}${pathname.replace(/\.\w+$/, "")}`;
}

function slug(text: string): string | null {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, "")
    .slice(0, NAME_CHARS_MAX);
  return name === "" ? null : name;
}
