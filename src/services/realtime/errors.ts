/**
 * The service's error tables for rejected handshakes, rejected joins and closed channels. The codes and messages are
 * the same as upstream's (realtime, August 2026) because clients display them.
 */
import type { OverloadBody } from '../../base/kernel/service.ts';
import { handshakeText, joinReason, systemText, type TokenFault } from './core/token.ts';

export interface HandshakeRejection {
  readonly status: number;
  readonly error: string;
}

export const handshakeRejections = {
  missingKey: { status: 401, error: 'API key is missing' },
  tooManyUsers: { status: 429, error: 'Too many connected users' },
  tooManyAnonymous: { status: 429, error: 'Too many anonymous connections' },
  tooManyJoins: { status: 429, error: 'Too many joins per second' },
  secretKey: { status: 401, error: 'Forbidden use of secret API key in browser' },
  stopping: { status: 500, error: 'Error connecting to Realtime' },
} as const satisfies Record<string, HandshakeRejection>;

export function handshakeRejectionOf(fault: TokenFault): HandshakeRejection {
  return { status: 401, error: handshakeText(fault) };
}

export const joinRejections = {
  topicName: 'TopicNameRequired: You must provide a topic name',
  secretKey: 'Unauthorized: Forbidden use of secret API key in browser',
  privateOnly: 'PrivateOnly: This project only allows private channels',
  tooManyChannels: 'ChannelRateLimitReached: Too many channels',
  tooManyJoins: 'ClientJoinRateLimitReached: Too many joins per second',
  replayPublic: 'UnableToReplayMessages: Replay is not allowed for public channels',
  replayParams: 'UnableToReplayMessages: Replay params are not valid',
  replayFailed: 'UnableToReplayMessages: Realtime was unable to replay messages',
  unableToConnect: 'UnableToConnectToProject: Realtime was unable to connect to the project database',
  missingPartition: 'MissingPartition: Realtime was unable to find the expected messages partition',
  queryCanceled: 'QueryCanceled: Query was cancelled, please try again',
  unknown: 'Unknown Error on Channel',
} as const;

export function unauthorizedRead(subTopic: string): string {
  return `You do not have permissions to read from this Channel topic: ${subTopic}`;
}

/** The contents of system messages that close a channel. */
export const systemErrors = {
  tooManyMessages: 'Too many messages per second',
  tooManyPresence: 'Too many presence messages per second',
  clientPresence: 'Client presence rate limit exceeded',
  trackSize: 'Track message size exceeded',
  replicationLate: 'Replication connection was not established in time',
  noDatabase: 'Realtime was unable to connect to the project database',
  queryCanceled: 'Query was cancelled, please try again',
} as const;

export function readRevoked(subTopic: string): string {
  return `You no longer have permission to read from this Channel topic: ${subTopic}`;
}

/**
 * Thrown if a join, push or token is rejected. `reason` is sent in the reply to a join, and `message` in a system
 * message.
 */
export class ChannelError extends Error {
  readonly reason: string;
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChannelError';
    this.reason = reason;
  }

  static ofToken(fault: TokenFault): ChannelError {
    return new ChannelError(joinReason(fault), systemText(fault));
  }

  static ofJoin(reason: string): ChannelError {
    return new ChannelError(reason, reason.slice(reason.indexOf(': ') + 2));
  }
}

/** WebSocket close codes and reasons. */
export const closes = {
  restart: [1012, 'Service restart'],
  idle: [1000, ''],
  revoked: [1008, 'The API key is no longer valid'],
  slow: [1008, 'Slow consumer: too much data is waiting to be read'],
  heavy: [1008, 'The joins and presence of this socket use too much memory'],
} as const satisfies Record<string, readonly [number, string]>;

/** The response to requests and handshakes that are rejected because the server is overloaded. */
export const overloadedBody: OverloadBody = {
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ error: 'The server is receiving too many requests' }),
};

/**
 * Whether an error is PostgreSQL's response to a statement. After any other error, the statement's outcome is unknown
 * or the server couldn't run the statement: either the connection was lost, or the error is in class 08 (connection),
 * 53 (resources) or 57 (shutdown) of appendix A in PostgreSQL's manual. In class 57, `57014` (a canceled statement)
 * counts as a response.
 */
export function isServerResponse(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return false;
  return code === '57014' || !/^(08|53|57)/.test(code);
}
