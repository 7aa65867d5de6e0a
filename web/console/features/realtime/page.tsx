/**
 * Lets the operator use a channel as any user. The operator can join the channel, send messages, track presence and
 * watch changes. The page also explains why a message isn't delivered.
 */
import { useQuery } from '@tanstack/react-query';
import { PageHead, ScrollPage } from '../../components/page.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { realtimeQuery } from './api.ts';
import { Broadcast } from './broadcast.tsx';
import { ChecksView } from './checks-view.tsx';
import { DeliveryCheckView } from './delivery-check.tsx';
import { EventList } from './event-list.tsx';
import { JoinForm } from './join-form.tsx';
import classes from './page.module.css';
import { Presence } from './presence-view.tsx';
import { t } from './text.ts';
import { useChannel } from './use-channel.ts';

export function RealtimePage() {
  const { data, error } = useQuery(realtimeQuery);
  const channel = useChannel();
  const isJoined = channel.state === 'joined';
  return (
    <>
      <PageHead title={t('nav.realtime')} />
      <ScrollPage>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : (
          <div className={classes.page}>
            <div className={classes.column}>
              <JoinForm
                facts={data}
                state={channel.state}
                onJoin={(request) => void channel.join(request)}
                onLeave={channel.leave}
              />
              <ChecksView />
              <DeliveryCheckView />
              {isJoined ? (
                <>
                  <Broadcast
                    onSend={(event, payload) =>
                      channel.send('broadcast', { type: 'broadcast', event, payload }, event)
                    }
                  />
                  <Presence
                    presences={channel.presences}
                    onTrack={(payload) =>
                      channel.send('presence', { type: 'presence', event: 'track', payload }, 'track')
                    }
                    onUntrack={() =>
                      channel.send('presence', { type: 'presence', event: 'untrack' }, 'untrack')
                    }
                  />
                </>
              ) : null}
            </div>
            <EventList events={channel.events} onClear={channel.clear} />
          </div>
        )}
      </ScrollPage>
    </>
  );
}
