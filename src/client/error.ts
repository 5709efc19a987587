/** What one problem is about; see `CarillonError` for the fields. */
export interface Problem {
  code: string;
  detail: string;
  pointer?: string;
  parameter?: string;
  hint?: string;
}

/** Codes that no server sends: it was not reached, did not answer in time, or something else answered in its place. */
type OwnCode = "unreachable" | "timeout" | "unexpected_answer";

/** A call that was not answered with what was asked for. The message is a sentence for people, `code` is for programs. */
export class CarillonError extends Error {
  override readonly name = "CarillonError";
  /** Stable: `invalid_trigger`, `busy`, `not_found` …, or one of the client's own. */
  readonly code: OwnCode | (string & {});
  /** Of HTTP; 0 when there was no answer. */
  readonly status: number;
  /** JSON pointer to the field of the body that is to blame. */
  readonly pointer: string | undefined;
  /** Query, path or header parameter that is to blame. */
  readonly parameter: string | undefined;
  /** What was probably meant, or what can be done. */
  readonly hint: string | undefined;
  /** Where several fields are wrong: each of them. */
  readonly errors: readonly Problem[];
  /** Further members by code: `allowed`, `state`, `leaseUntil`, `candidates` … */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    problem: Problem,
    more: { status: number; errors?: readonly Problem[]; data?: Record<string, unknown>; cause?: unknown },
  ) {
    super(problem.detail, { cause: more.cause });
    this.code = problem.code;
    this.status = more.status;
    this.pointer = problem.pointer;
    this.parameter = problem.parameter;
    this.hint = problem.hint;
    this.errors = more.errors ?? [problem];
    this.data = more.data ?? {};
  }
}

export async function errorOf(response: Response): Promise<CarillonError> {
  const { status } = response;
  const problem = problemIn(await response.text());
  if (!problem) {
    const detail = `The address answered ${status}, and not in Carillon's words. Is it the scheduler's?`;
    return new CarillonError({ code: "unexpected_answer", detail }, { status });
  }
  const {
    code,
    detail,
    pointer,
    parameter,
    hint,
    errors,
    type: _,
    title: __,
    status: ___,
    ...data
  } = problem;
  return new CarillonError({ code, detail, pointer, parameter, hint }, { status, errors, data });
}

function problemIn(text: string): (Problem & { errors?: Problem[]; [member: string]: unknown }) | null {
  try {
    const value: unknown = JSON.parse(text);
    const isProblem =
      typeof value === "object" &&
      value !== null &&
      "code" in value &&
      "detail" in value &&
      typeof value.code === "string" &&
      typeof value.detail === "string";
    return isProblem ? (value as ReturnType<typeof problemIn>) : null;
  } catch {
    return null;
  }
}
