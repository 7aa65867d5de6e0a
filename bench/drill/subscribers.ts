/**
 * Subscribers that use the official client, in a separate process, so that they don't slow down the drill. They record
 * every change that they receive.
 *
 * The process is forked with IPC. It receives one {@link SubscribersJob}, sends `ready` when all channels have joined,
 * and responds to a {@link Question} with a {@link Tally}.
 */
import { createClient } from '@supabase/supabase-js';

export interface SubscribersJob {
  readonly url: string;
  readonly key: string;
  /** The beginning of the channels' names. Plinth can't tell apart clients with the same address and channel. */
  readonly name: string;
  /** One subscriber per element. The token is that of a user, or empty for a subscriber that isn't signed in. */
  readonly tokens: readonly string[];
}

export interface Question {
  /** The IDs of the rows that each subscriber must have received, or per subscriber. */
  readonly expected: readonly number[] | readonly (readonly number[])[];
  /** How long the process waits for missing changes. */
  readonly waitMs: number;
}

export interface Tally {
  readonly subscribers: number;
  readonly expected: number;
  readonly received: number;
  readonly repeated: number;
  /** The repeated changes of subscribers that received a message about repeated changes. */
  readonly announced: number;
  /** Changes that a subscriber missed without receiving a message about a gap. */
  readonly silent: number;
  /** Changes that a subscriber missed, although it received a message about a gap. */
  readonly told: number;
  /** A gap without a message, to find the cause. */
  readonly example: string;
  /** The number of messages after the first one. */
  readonly notices: number;
  /** The time from the commit to the receipt of each change, in milliseconds, sorted. */
  readonly p95Ms: number;
  readonly maxMs: number;
  readonly cpuSeconds: number;
}

interface Notice {
  readonly position: number;
  readonly text: string;
}

interface Subscriber {
  readonly counts: Map<number, number>;
  /** The position of each change in the sequence of everything that the subscriber received. */
  readonly positions: Map<number, number>;
  /** The messages about the subscription. The first message, which only confirms the subscription, isn't included. */
  readonly notices: Notice[];
  hasJoined: boolean;
  received: number;
}

interface SystemMessage {
  readonly status: string;
  readonly extension: string;
  readonly message: string;
}

const latencies: number[] = [];

async function subscribe(
  { url, key, name }: SubscribersJob,
  token: string,
  index: number,
): Promise<Subscriber> {
  const client = createClient(url, key, token === '' ? {} : { accessToken: async () => token });
  const subscriber: Subscriber = {
    ...{ counts: new Map(), positions: new Map(), notices: [] },
    ...{ hasJoined: false, received: 0 },
  };
  await client.realtime.setAuth();
  await new Promise<void>((resolve, reject) => {
    client
      .channel(`${name}-${index}`)
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'rows' }, (change) => {
        const id = Number(change.new.id);
        if (!subscriber.positions.has(id)) subscriber.positions.set(id, subscriber.received++);
        subscriber.counts.set(id, (subscriber.counts.get(id) ?? 0) + 1);
        latencies.push(Date.now() - Date.parse(change.commit_timestamp));
      })
      .on('system', {}, ({ status, extension, message }: SystemMessage) => {
        if (extension !== 'postgres_changes') return;
        if (subscriber.hasJoined)
          subscriber.notices.push({ position: subscriber.received++, text: `${status} ${message}` });
        if (status !== 'ok') return;
        subscriber.hasJoined = true;
        resolve();
      })
      .subscribe((status, error) => {
        const isFailed = status === 'TIMED_OUT' || status === 'CHANNEL_ERROR';
        if (isFailed && !subscriber.hasJoined) reject(error ?? new Error(status));
      });
  });
  return subscriber;
}

const expectedBy = ({ expected }: Question, index: number): readonly number[] =>
  Array.isArray(expected[0])
    ? ((expected as readonly (readonly number[])[])[index] ?? [])
    : (expected as number[]);

/** The parts of the server's messages that announce missed or repeated changes. */
const missedText = 'may have been missed';
const repeatedText = 'were sent again';

/**
 * Counts the missing changes, and those among them that are explained by a message. A new confirmation of the
 * subscription explains the gap in which it was received. A message about missed changes is sent after the changes that
 * were still available, so it explains all gaps before it.
 */
function gapsOf({ positions, notices }: Subscriber, wanted: readonly number[]) {
  let [silent, told, last] = [0, 0, -1];
  let example = '';
  let gap: number[] = [];
  const close = (next: number): void => {
    const isExplained = ({ position, text }: Notice): boolean =>
      position > last && (position < next || text.includes(missedText));
    if (notices.some(isExplained)) told += gap.length;
    else silent += gap.length;
    if (gap.length > 0 && !notices.some(isExplained))
      example = `${gap.length} changes from ${gap[0]}, messages ${JSON.stringify(notices)}, at ${last} to ${next}`;
    gap = [];
  };
  for (const id of wanted.toSorted((a, b) => a - b)) {
    const position = positions.get(id);
    if (position === undefined) gap.push(id);
    else {
      close(position);
      last = position;
    }
  }
  close(Number.POSITIVE_INFINITY);
  return { silent, told, example };
}

function tally(subscribers: readonly Subscriber[], question: Question): Tally {
  let [expected, received, repeated, announced, silent, told] = [0, 0, 0, 0, 0, 0];
  let example = '';
  for (const [index, subscriber] of subscribers.entries()) {
    const wanted = expectedBy(question, index);
    expected += wanted.length;
    received += wanted.filter((id) => subscriber.counts.has(id)).length;
    let extra = 0;
    for (const count of subscriber.counts.values()) extra += count - 1;
    repeated += extra;
    if (subscriber.notices.some(({ text }) => text.includes(repeatedText))) announced += extra;
    const gaps = gapsOf(subscriber, wanted);
    silent += gaps.silent;
    told += gaps.told;
    example ||= gaps.example;
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  const { user, system } = process.cpuUsage();
  return {
    ...{ subscribers: subscribers.length, expected, received, repeated, announced, silent, told },
    example,
    notices: subscribers.reduce((sum, { notices }) => sum + notices.length, 0),
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    maxMs: sorted.at(-1) ?? 0,
    cpuSeconds: (user + system) / 1e6,
  };
}

async function run(job: SubscribersJob): Promise<void> {
  const subscribers: Subscriber[] = [];
  // A few at a time, so that the joins don't wait for each other.
  for (let first = 0; first < job.tokens.length; first += 20) {
    const some = job.tokens.slice(first, first + 20);
    subscribers.push(
      ...(await Promise.all(some.map((token, index) => subscribe(job, token, first + index)))),
    );
  }
  process.on('message', async (question: Question) => {
    const deadline = Date.now() + question.waitMs;
    let result = tally(subscribers, question);
    while (result.received < result.expected && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      result = tally(subscribers, question);
    }
    process.send?.(result);
  });
  process.send?.('ready');
}

process.once('message', (job: SubscribersJob) => void run(job));
