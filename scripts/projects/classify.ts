/**
 * Classifies the result of an attempt to start a project. Classification is separate from the attempts, so that the
 * table of results can be recreated from stored attempts.
 */
import type { OwnFault } from './read-lists.ts';
import type { Attempt } from './try-project.ts';

export type Outcome =
  | 'clean'
  | 'clean with notices'
  | 'failed: own fault'
  | 'failed: extension'
  | "failed: Plinth's fault";

export interface Finding {
  readonly outcome: Outcome;
  /** The failed statement's location, such as `supabase/migrations/1_init.sql:12`, or the failed request's path. */
  readonly place: string | undefined;
  /** The error message, the first notice, or a description of how the project itself causes the failure. */
  readonly reason: string;
}

const fault = "failed: Plinth's fault";
const progress = /^(Preparing|Applying migration|Seeding|Creating|Uploading|Stopping|NOTICE|\S+: stopped)/;
const failedAt = /^\s*(?:Error: )?(?<place>supabase\/\S.*?:\d+): (?<error>.*)$/;
const lacksExtension = /^The embedded PostgreSQL doesn't have the extension /;

/**
 * Returns the result of an attempt. Plinth is considered the cause of a failure until someone has inspected the project
 * and added it to the list.
 */
export function classify(attempt: Attempt, ownFaults: readonly OwnFault[]): Finding {
  const { isReady, isTimedOut, messages, unanswered } = attempt;
  if (isReady) {
    if (unanswered.length > 0) return classifyRequests(unanswered, ownFaults);
    const notice = messages.find((message) => !progress.test(message));
    return {
      outcome: notice === undefined ? 'clean' : 'clean with notices',
      place: undefined,
      reason: notice ?? '',
    };
  }
  if (isTimedOut) return { outcome: fault, place: undefined, reason: 'not ready in time' };
  const failure = messages
    .map((message) => failedAt.exec(message)?.groups)
    .find((groups) => groups !== undefined);
  const place = failure?.place;
  const reason = failure?.error ?? messages.at(-1) ?? 'ended without output';
  if (messages.some((message) => lacksExtension.test(message)))
    return { outcome: 'failed: extension', place, reason };
  const own = ownFaults.find((one) => one.place === place);
  return own === undefined
    ? { outcome: fault, place, reason }
    : { outcome: 'failed: own fault', place, reason: own.why };
}

/**
 * Classifies failed requests. The list identifies a failure that the project itself causes by the path of the request.
 */
function classifyRequests(unanswered: readonly string[], ownFaults: readonly OwnFault[]): Finding {
  const ownFaultOf = (request: string) => ownFaults.find(({ place }) => request.startsWith(place));
  const unexplained = unanswered.filter((request) => ownFaultOf(request) === undefined);
  const own = unanswered.map(ownFaultOf).find((one) => one !== undefined);
  return own === undefined || unexplained.length > 0
    ? { outcome: fault, place: undefined, reason: unexplained.join(', ') }
    : { outcome: 'failed: own fault', place: own.place, reason: own.why };
}
