/** Who changed what, and when: each revision with what it changed, field by field. */
import { differences, type Difference } from "../core/difference.ts";
import type { RevisionView } from "../http/revisions.ts";
import { Time } from "./parts.tsx";
import type { Viewer } from "./viewer.ts";

/** Newest first; the last of them is only there to compare with, where there are more than `shown`. */
export function RevisionList({
  revisions,
  shown,
  viewer,
}: {
  revisions: RevisionView[];
  shown: number;
  viewer: Viewer;
}) {
  return (
    <ol class="revisions">
      {revisions.slice(0, shown).map((one, i) => {
        const before = revisions[i + 1];
        return (
          <li>
            <p class="byline">
              <b>Revision {one.revision}</b> <Time at={one.at} viewer={viewer} />{" "}
              <span class="muted">by</span> <bdi>{one.who}</bdi>
            </p>
            {one.note && (
              <p class="muted">
                <bdi>{one.note}</bdi>
              </p>
            )}
            {before === undefined || one.action === "create" ? (
              <p class="muted">{one.action === "create" ? "Created." : "An earlier one is not on record."}</p>
            ) : (
              <Changes all={differences(before.definition, one.definition)} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Changes({ all }: { all: Difference[] }) {
  if (all.length === 0)
    return <p class="muted">Nothing that is shown here: a secret, or the way it was written.</p>;
  return (
    <dl class="changes">
      {all.map(({ field, from, to }) => (
        <>
          <dt>
            <bdi>{field}</bdi>
          </dt>
          <dd>
            <del>
              <span class="hidden">was </span>
              <bdi>{JSON.stringify(from)}</bdi>
            </del>{" "}
            <ins>
              <span class="hidden">is now </span>
              <bdi>{JSON.stringify(to)}</bdi>
            </ins>
          </dd>
        </>
      ))}
    </dl>
  );
}
