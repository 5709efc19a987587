/**
 * Makes the library's books: `node examples/library/generate.ts > examples/library/migrations/0002_loans.sql`.
 * Always the same, so that the committed file can be checked against it.
 */
const BRANCHES = [
  { id: "lisbon", city: "Lisbon", timezone: "Europe/Lisbon", loans: 720 },
  { id: "berlin", city: "Berlin", timezone: "Europe/Berlin", loans: 960 },
  { id: "new-york", city: "New York", timezone: "America/New_York", loans: 840 },
  { id: "sao-paulo", city: "São Paulo", timezone: "America/Sao_Paulo", loans: 600 },
  { id: "auckland", city: "Auckland", timezone: "Pacific/Auckland", loans: 480 },
];
const GIVEN =
  "Ana Bela Caio Dora Emil Fritz Greta Hana Ivo Joana Karl Lena Mateus Nora Otto Petra Rui Sofia Tiago Wanda";
const FAMILY =
  "Almeida Becker Costa Duarte Ferreira Fischer Keller Lima Martins Moana Neves Rangi Silva Turner Weber Young";
const TITLES = [
  "A Sibila",
  "Berlin Alexanderplatz",
  "Dom Casmurro",
  "Grande Sertão: Veredas",
  "Invisible Man",
  "Kindred",
  "Memorial do Convento",
  "Moby-Dick",
  "Os Maias",
  "Potiki",
  "Quincas Borba",
  "Schachnovelle",
  "The Age of Innocence",
  "The Bone People",
  "The Whale Rider",
  "Vidas Secas",
];
const FIRST_DAY = Date.parse("2026-08-03");
const LAST_DAY = Date.parse("2026-11-30"); // the books are of this evening
const LOAN_DAYS = 28;
const ROWS_PER_STATEMENT = 120; // well below the 100 KB that D1 takes for one
const DAY_MS = 86_400_000;

/** Mulberry32: thirty-two bits of state are enough for a library. */
function randomness(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const below = randomness(1907);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const quoted = (text: string | null) => (text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`);

/** Most come back in time, some late; of the rest some are still due and some are why there are notices. */
function loan(branch: string): string {
  const lentAt = FIRST_DAY + below((LAST_DAY - FIRST_DAY) / DAY_MS) * DAY_MS;
  const kept = below(10) < 8 ? 3 + below(LOAN_DAYS - 3) : LOAN_DAYS + below(80);
  const returnedAt = lentAt + kept * DAY_MS;
  const returnedOn = returnedAt <= LAST_DAY ? date(returnedAt) : null;
  const member = `${pick(GIVEN.split(" "))} ${pick(FAMILY.split(" "))}`;
  const fields = [branch, member, pick(TITLES), date(lentAt), date(lentAt + LOAN_DAYS * DAY_MS), returnedOn];
  return `(${fields.map(quoted).join(", ")})`;
}

function* statements(): Generator<string> {
  const branches = BRANCHES.map(
    ({ id, city, timezone }) => `(${[id, city, timezone].map(quoted).join(", ")})`,
  );
  yield `INSERT INTO branches (id, city, timezone) VALUES\n${branches.join(",\n")};`;
  const loans = BRANCHES.flatMap(({ id, loans }) => Array.from({ length: loans }, () => loan(id)));
  for (let from = 0; from < loans.length; from += ROWS_PER_STATEMENT) {
    const rows = loans.slice(from, from + ROWS_PER_STATEMENT);
    yield `INSERT INTO loans (branch, member, title, lent_on, due_on, returned_on) VALUES\n${rows.join(",\n")};`;
  }
}

console.log("-- Written by generate.ts.\n");
for (const statement of statements()) console.log(`${statement}\n`);
