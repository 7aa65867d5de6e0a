/** Determines the result of an attempt. Pure, so that the table can be regenerated from a stored attempt. */
import type { OwnFault } from './read-lists.ts';
import type { Attempt } from './try-project.ts';

export type Verdict =
  | 'clean'
  | 'clean with notices'
  | 'failed: own fault'
  | 'failed: extension'
  | "failed: Plinth's fault";

export interface Finding {
  readonly verdict: Verdict;
  /** `supabase/migrations/1_init.sql:12`, where a statement failed. */
  readonly place: string | undefined;
  /** The error, the first notice, or the reason why the failure is the project's own fault. */
  readonly reason: string;
}

const progress = /^(Preparing|Applying migration|Seeding|Creating|Uploading|Stopping|NOTICE|\S+: stopped)/;
const failedAt = /^\s*(?:Error: )?(?<place>supabase\/\S.*?:\d+): (?<error>.*)$/;
const lacksExtension = /^The embedded PostgreSQL doesn't have the extension /;

/** A failure counts as Plinth's fault until the project has been inspected and listed. */
export function judge(attempt: Attempt, ownFaults: readonly OwnFault[]): Finding {
  const { isReady, isTimedOut, messages, unanswered } = attempt;
  const fault = "failed: Plinth's fault";
  if (isReady) {
    if (unanswered.length > 0) return { verdict: fault, place: undefined, reason: unanswered.join(', ') };
    const notice = messages.find((message) => !progress.test(message));
    return {
      verdict: notice === undefined ? 'clean' : 'clean with notices',
      place: undefined,
      reason: notice ?? '',
    };
  }
  if (isTimedOut) return { verdict: fault, place: undefined, reason: 'not ready in time' };
  const failure = messages
    .map((message) => failedAt.exec(message)?.groups)
    .find((groups) => groups !== undefined);
  const place = failure?.place;
  const reason = failure?.error ?? messages.at(-1) ?? 'ended without a word';
  if (messages.some((message) => lacksExtension.test(message)))
    return { verdict: 'failed: extension', place, reason };
  const own = ownFaults.find((one) => one.place === place);
  return own === undefined
    ? { verdict: fault, place, reason }
    : { verdict: 'failed: own fault', place, reason: own.why };
}
