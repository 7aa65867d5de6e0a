/** Provides the state, events and presences of the channel that the page has joined. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { messageOf } from '../../components/problem-box.tsx';
import type { Frame } from './frame.ts';
import { type Presences, withFrame } from './presence.ts';
import { type Channel, openChannel } from './socket.ts';
import { t } from './text.ts';

export type Kind = 'system' | 'reply' | 'broadcast' | 'presence' | 'change' | 'sent' | 'closed';

export interface ChannelEvent {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: Kind;
  readonly title: string;
  readonly payload: unknown;
  readonly isBad: boolean;
}

export interface JoinRequest {
  /** The realtime service's address. */
  readonly url: string;
  readonly apikey: string;
  /** The persona. Undefined for the anonymous role, which requires only the key. */
  readonly as: string | undefined;
  readonly topic: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export type ChannelState = 'idle' | 'joining' | 'joined' | 'rejoining' | 'failed';

const firstRetryMs = 1000;
const maxRetryMs = 15_000;

const maxEvents = 300;
const kinds: Readonly<Record<string, Kind>> = {
  system: 'system',
  phx_reply: 'reply',
  broadcast: 'broadcast',
  presence_state: 'presence',
  presence_diff: 'presence',
  postgres_changes: 'change',
  phx_close: 'closed',
  phx_error: 'closed',
};

export function useChannel() {
  const [state, setState] = useState<ChannelState>('idle');
  const [events, setEvents] = useState<readonly ChannelEvent[]>([]);
  const [presences, setPresences] = useState<Presences>({});
  const channel = useRef<Channel>(undefined);
  /** Whether the page has joined the channel, and how often it has since tried to join the channel again. */
  const session = useRef({ wasJoined: false, retries: 0 });
  const retry = useRef<ReturnType<typeof setTimeout>>(undefined);
  const nextId = useRef(1);

  const add = useCallback((kind: Kind, title: string, payload: unknown, isBad = false): void => {
    const event = { id: nextId.current++, at: Date.now(), kind, title, payload, isBad };
    setEvents((previous) => [...previous, event].slice(-maxEvents));
  }, []);

  const leave = useCallback((): void => {
    clearTimeout(retry.current);
    session.current = { wasJoined: false, retries: 0 };
    channel.current?.close();
    channel.current = undefined;
    setState('idle');
    setPresences({});
  }, []);
  useEffect(() => leave, [leave]);

  const hear = useCallback(
    (frame: Frame): void => {
      const { event, payload, ref } = frame;
      const status = typeof payload.status === 'string' ? payload.status : undefined;
      const isBad = status === 'error' || event === 'phx_error';
      add(kinds[event] ?? 'system', titleOf(frame), payload, isBad);
      if (event.startsWith('presence_')) setPresences((previous) => withFrame(previous, event, payload));
      // The first frame that the page sends is the join frame, so the join frame's reference is 1.
      if (event === 'phx_reply' && ref === '1') {
        if (session.current.retries > 0 && status === 'ok') add('system', t('realtime.rejoined'), {});
        session.current = { wasJoined: status === 'ok', retries: 0 };
        setState(status === 'ok' ? 'joined' : 'failed');
      }
      if (event === 'phx_close') setState((previous) => (previous === 'idle' ? previous : 'failed'));
    },
    [add],
  );

  const connect = useCallback(
    async (request: JoinRequest): Promise<void> => {
      const { url, apikey, as, topic, config } = request;
      /**
       * Joins the channel again after a pause if the connection to a joined channel was lost, for example because the
       * server restarted.
       */
      const onLost = (reason: string): void => {
        setPresences({});
        if (!session.current.wasJoined) {
          add('closed', reason, {}, true);
          setState('failed');
          return;
        }
        if (session.current.retries === 0) add('closed', t('realtime.lost', { reason }), {}, true);
        const delayMs = Math.min(firstRetryMs * 2 ** session.current.retries++, maxRetryMs);
        setState('rejoining');
        clearTimeout(retry.current);
        retry.current = setTimeout(() => void connect(request), delayMs);
      };
      const { current: attempt } = session;
      try {
        const token =
          as === undefined || as === 'anon'
            ? undefined
            : (await fetchConsole('POST /realtime/token', { body: { as } })).token;
        const address = new URL(`${url}/websocket`);
        address.protocol = address.protocol.replace('http', 'ws');
        address.search = String(new URLSearchParams({ apikey, vsn: '2.0.0' }));
        // The operator has left the channel in the meantime.
        if (session.current !== attempt) return;
        channel.current?.close();
        const opened: Channel = openChannel({
          address: address.href,
          topic,
          config,
          accessToken: token,
          onFrame: hear,
          onClosed: (reason) => {
            if (reason !== '' && channel.current === opened) onLost(reason);
          },
        });
        channel.current = opened;
      } catch (error) {
        if (session.current === attempt) onLost(messageOf(error));
      }
    },
    [hear, add],
  );

  const join = useCallback(
    (request: JoinRequest): Promise<void> => {
      leave();
      setState('joining');
      return connect(request);
    },
    [leave, connect],
  );

  const send = useCallback(
    (event: string, payload: Readonly<Record<string, unknown>>, title: string): void => {
      channel.current?.send(event, payload);
      add('sent', title, payload.payload ?? {});
    },
    [add],
  );

  return { state, events, presences, join, leave, send, clear: () => setEvents([]) };
}

function titleOf({ event, payload }: Frame): string {
  switch (event) {
    case 'broadcast':
      return String(payload.event ?? '');
    case 'postgres_changes': {
      const { type, schema, table } = (payload.data ?? {}) as Record<string, unknown>;
      return `${type} ${schema}.${table}`;
    }
    case 'system':
      return String(payload.message ?? '');
    case 'phx_reply': {
      const { reason } = (payload.response ?? {}) as Record<string, unknown>;
      return typeof reason === 'string' ? reason : String(payload.status ?? '');
    }
    default:
      return event;
  }
}
