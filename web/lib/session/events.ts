/**
 * Sends the five session events to all open tabs of the same origin. An event doesn't contain a token. A tab that
 * receives an event requests the current session from the server.
 */
export const sessionEvents = [
  'SIGNED_IN',
  'SIGNED_OUT',
  'TOKEN_REFRESHED',
  'USER_UPDATED',
  'PASSWORD_RECOVERY',
] as const;

export type SessionEvent = (typeof sessionEvents)[number];

export type SessionListener = (event: SessionEvent, from: 'this tab' | 'another tab') => void;

export interface SessionEvents {
  /** Notifies this tab's listeners and then the other tabs. */
  emit(event: SessionEvent): void;
  /** Adds a listener. Returns a function that removes the listener. */
  listen(listener: SessionListener): () => void;
  close(): void;
}

const channelName = 'plinth-session';

export function createSessionEvents(
  channel: BroadcastChannel = new BroadcastChannel(channelName),
): SessionEvents {
  const listeners = new Set<SessionListener>();
  const tell = (event: SessionEvent, from: 'this tab' | 'another tab'): void => {
    for (const listener of listeners) listener(event, from);
  };
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isSessionEvent(data)) tell(data, 'another tab');
  };
  return {
    emit(event) {
      tell(event, 'this tab');
      channel.postMessage(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      listeners.clear();
      channel.close();
    },
  };
}

function isSessionEvent(value: unknown): value is SessionEvent {
  return sessionEvents.some((event) => event === value);
}
