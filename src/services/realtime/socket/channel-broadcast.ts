/** Receives client broadcasts on a channel, and replays earlier broadcasts after a join. */

import { isRecord } from '../../../base/shared/json.ts';
import type { RequestClient } from '../../../platform/database/types.ts';
import { type Broadcast, type ClientMessage, encodeBroadcast } from '../core/frame.ts';
import { type JoinRequest, parseReplay } from '../core/join.ts';
import { ChannelError, joinRejections, systemErrors } from '../errors.ts';
import type { MessageRow } from '../queries.ts';
import type { Membership } from './membership.ts';

/** Handles a broadcast from the client. Returns a promise if permissions must be queried first. */
export function receiveBroadcast(channel: Membership, message: ClientMessage): Promise<void> | undefined {
  if (channel.permissions.current.writeBroadcast !== undefined) {
    publish(channel, message);
    return undefined;
  }
  return channel.permissions.queryWrite().then((asked) => {
    if (asked && !channel.isClosed) publish(channel, message);
  });
}

function publish(channel: Membership, { payload, ref }: ClientMessage): void {
  const { request, context: ctx, subTopic, sender } = channel;
  // The client doesn't receive a reply to a denied broadcast, even with `ack`.
  if (channel.permissions.current.writeBroadcast !== true || request === undefined) return;
  const { ack, self } = request.broadcast;
  channel.countEvent();
  if (channel.isClosed) return;
  const read = broadcastOf(payload);
  if (read === undefined) return;
  if (read.bytes > ctx.limits.maxPayloadBytes) {
    if (ack) sender.reply(ref, 'error', 'payload_size_exceeded');
    return;
  }
  ctx.hub.publish(subTopic, request.private, read.broadcast, self ? undefined : channel);
  if (ack) sender.reply(ref, 'ok', {});
}

/** Returns the broadcast, or undefined if the payload isn't a broadcast. */
function broadcastOf(payload: ClientMessage['payload']): { broadcast: Broadcast; bytes: number } | undefined {
  if (payload.kind === 'user-broadcast') {
    const { event, encoding, data } = payload;
    return { broadcast: { form: 'user', event, encoding, data }, bytes: data.length };
  }
  if (payload.kind !== 'json' || !isRecord(payload.value)) return undefined;
  return {
    broadcast: { form: 'text', payloadJson: payload.text },
    bytes: Buffer.byteLength(payload.text),
  };
}

/**
 * Returns the messages to replay, or undefined if the join didn't request a replay.
 * @throws {ChannelError}
 */
export async function findReplay(
  channel: Membership,
  request: JoinRequest,
  client: RequestClient,
): Promise<MessageRow[] | undefined> {
  if (request.replay === undefined) return undefined;
  if (!request.private) throw ChannelError.ofJoin(joinRejections.replayPublic);
  if (!channel.readsBroadcast) throw channel.permissions.readDenied();
  const params = parseReplay(request.replay);
  if (params === undefined) throw ChannelError.ofJoin(joinRejections.replayParams);
  try {
    return await channel.context.messagesSince(channel.subTopic, params.sinceMs, params.limit, client);
  } catch (error) {
    throw new ChannelError(joinRejections.replayFailed, systemErrors.noDatabase, { cause: error });
  }
}

export function sendReplayed(channel: Membership, row: MessageRow): void {
  const { id, event, payload_text: json, binary_payload: bytes } = row;
  const meta = JSON.stringify({ id, replayed: true });
  const broadcast: Broadcast =
    bytes !== null
      ? { form: 'user', event: event ?? '', encoding: 'binary', data: bytes, metadata: meta }
      : {
          form: 'text',
          payloadJson: `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${json ?? 'null'},"meta":${meta}}`,
        };
  const frame = encodeBroadcast(channel.version, channel.topic, broadcast);
  if (frame !== undefined) channel.send(frame);
}
