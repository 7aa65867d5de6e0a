/**
 * Explains why a broadcast did or didn't reach a member of its topic. Checks the same permissions that the service
 * checks when a client joins a channel or sends a message.
 */
import type { Pool } from '../../../platform/database/types.ts';
import { ChannelError } from '../errors.ts';
import type { Permissions } from '../permissions.ts';
import type { Limits } from '../settings.ts';
import {
  type BroadcastCheckInput,
  type BroadcastCheckResult,
  type CheckStep,
  DeliveryCheckError,
  type Persona,
} from '../types.ts';
import { type MessageFacts, messageFacts } from './queries.ts';
import { isStopped, stepOf, tokenStep } from './steps.ts';

export interface BroadcastCheckDeps {
  readonly pool: () => Pool;
  readonly permissions: Permissions;
  readonly limits: Limits;
  readonly now: () => number;
  readonly rate: () => { readonly perSecond: number; readonly limit: number } | undefined;
}

/** A broadcast from a client or from the database. */
interface Sent {
  readonly private: boolean;
  readonly event: string;
  readonly encoding: 'json' | 'binary';
  readonly sizeBytes: number;
}

/** The maximum length of a name. In a frame of kind 4, the name's length is stored in one byte. */
const maxNameBytes = 255;

export async function checkBroadcast(
  deps: BroadcastCheckDeps,
  { subscriber, topic, channel, message }: BroadcastCheckInput,
): Promise<Omit<BroadcastCheckResult, 'connected'>> {
  const steps: CheckStep[] = [tokenStep(subscriber, deps.now()).step];
  let sent: Sent | undefined;
  if (message.from === 'database') {
    const row = await messageFacts(deps.pool(), message.id);
    if (row === undefined)
      throw new DeliveryCheckError(
        "The message doesn't exist. It was never stored, or its daily partition was dropped.",
      );
    steps.push(checkRow(row, topic));
    if (row.encoding !== null && row.event !== null && row.private !== null) {
      const { event, encoding, size_bytes: sizeBytes } = row;
      sent = { private: row.private, event, encoding, sizeBytes: sizeBytes ?? 0 };
    }
  } else {
    sent = message;
    if (message.sender !== undefined)
      steps.push(await checkSender(deps, message.sender, topic, message.private));
  }
  steps.push(checkChannel(deps.limits, channel.private, sent?.private));
  steps.push(await checkRead(deps, subscriber, topic, channel.private));
  if (sent !== undefined) steps.push(checkLimits(deps, topic, channel.version, sent));
  return { delivered: !isStopped(steps), steps };
}

function checkRow(row: MessageFacts, topic: string): CheckStep {
  const step = stepOf('message');
  const { extension, event, encoding, published } = row;
  const facts = { topic: row.topic, extension, event, private: row.private, sizeBytes: row.size_bytes };
  const stop = (code: string, says: string): CheckStep => step('stops', code, says, facts);
  if (!published)
    return stop('not-published', "The service's publication doesn't include realtime.messages.");
  if (row.topic !== topic) return stop('other-topic', `The message was sent to the topic ${row.topic}.`);
  if (extension !== 'broadcast')
    return stop(
      'other-extension',
      `The message's extension is ${extension}, but only broadcast is delivered.`,
    );
  if (event === null) return stop('no-event', 'The message has no event.');
  if (row.private === null)
    return stop(
      'no-privacy',
      "The message's private column is null, so neither public nor private channels get the message.",
    );
  if (encoding === null) return stop('no-payload', 'The message has no payload.');
  return step('passes', 'message-stored', 'The message is stored as a broadcast to this topic.', facts);
}

async function checkSender(
  deps: BroadcastCheckDeps,
  sender: Persona,
  topic: string,
  isPrivate: boolean,
): Promise<CheckStep> {
  const step = stepOf('sender');
  const { caller, step: token } = tokenStep(sender, deps.now());
  if (token.outcome === 'stops') return { ...token, step: 'sender' };
  const facts = { role: caller.role, sub: caller.sub ?? null };
  if (!isPrivate)
    return step('passes', 'public-send', 'Anyone with a key can send to a public channel.', facts);
  const writable = await permissionsOf(() =>
    deps.permissions.write({ subTopic: topic, caller, headersJson: '{}' }, ['broadcast']),
  );
  if (writable.has('broadcast'))
    return step('passes', 'may-write', 'A policy on realtime.messages allows the sender to write.', facts);
  const says =
    "No policy on realtime.messages allows the sender to write, so the sender's messages are discarded.";
  return step('stops', 'may-not-write', says, facts);
}

function checkChannel(limits: Limits, isPrivate: boolean, wasPrivate: boolean | undefined): CheckStep {
  const step = stepOf('channel');
  const facts = { channel: isPrivate ? 'private' : 'public' };
  if (limits.privateOnly && !isPrivate)
    return step('stops', 'private-only', 'Public channels are disabled (private_only).', facts);
  if (wasPrivate === undefined || wasPrivate === isPrivate)
    return step('passes', 'same-channel', 'The sender and the subscriber use the same channel.', facts);
  const says = `The message was sent to the ${wasPrivate ? 'private' : 'public'} channel with this name, which is a different channel.`;
  return step('stops', 'other-privacy', says, facts);
}

async function checkRead(
  deps: BroadcastCheckDeps,
  subscriber: Persona,
  topic: string,
  isPrivate: boolean,
): Promise<CheckStep> {
  const step = stepOf('policy');
  if (!isPrivate) return step('passes', 'public-channel', 'Anyone with a key can read a public channel.');
  const { caller, step: token } = tokenStep(subscriber, deps.now());
  if (token.outcome === 'stops')
    return step('not asked', 'refused-before', 'Not checked because the token was rejected.');
  const query = { subTopic: topic, caller, headersJson: '{}' };
  const readable = await permissionsOf(() => deps.permissions.read(query, ['broadcast', 'presence']));
  const facts = { broadcast: readable.has('broadcast'), presence: readable.has('presence') };
  if (facts.broadcast)
    return step('passes', 'may-read', 'A policy on realtime.messages allows the subscriber to read.', facts);
  return facts.presence
    ? step(
        'stops',
        'presence-only',
        'The subscriber can read presence in this channel, but not broadcasts.',
        facts,
      )
    : step(
        'stops',
        'may-not-read',
        'No policy allows the subscriber to read, so the join is rejected.',
        facts,
      );
}

/** Queries permissions. A policy that fails or can't be evaluated doesn't grant any permission. */
async function permissionsOf(ask: () => Promise<ReadonlySet<string>>): Promise<ReadonlySet<string>> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ChannelError && error.reason.startsWith('Unauthorized')) return new Set();
    throw error;
  }
}

function checkLimits(
  { limits, rate }: BroadcastCheckDeps,
  topic: string,
  version: '1.0.0' | '2.0.0',
  { event, encoding, sizeBytes }: Sent,
): CheckStep {
  const step = stepOf('limit');
  const used = rate();
  const facts = { sizeBytes, maxBytes: limits.maxPayloadBytes, ...used };
  const stop = (code: string, says: string): CheckStep => step('stops', code, says, facts);
  if (sizeBytes > limits.maxPayloadBytes) return stop('too-large', 'The payload is too large.');
  if (version === '1.0.0' && encoding === 'binary')
    return stop('binary-in-1.0.0', "Version 1.0.0 of the protocol doesn't support binary messages.");
  const topicBytes = Buffer.byteLength(`realtime:${topic}`);
  if (version === '2.0.0' && Math.max(topicBytes, Buffer.byteLength(event)) > maxNameBytes)
    return stop('name-too-long', `In version 2.0.0, topics and events are limited to ${maxNameBytes} bytes.`);
  if (used !== undefined && used.perSecond > used.limit)
    return stop('rate-reached', 'The limit of messages per second is reached, so channels are closed.');
  return step('passes', 'within-limits', 'The message is within all limits.', facts);
}
