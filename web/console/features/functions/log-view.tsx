import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Tag } from '../../components/tag.tsx';
import type { LogLine } from './api.ts';
import classes from './log-view.module.css';
import { t } from './text.ts';
import { useLog } from './use-log.ts';

/** The log of one function, the latest line in view as long as the reader stays at the end. */
export function LogView({ slug }: { slug: string }) {
  const { lines, isLive, clear } = useLog(slug);
  const [only, setOnly] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const shown = only === undefined ? lines : lines.filter(({ requestId }) => requestId === only);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [shown.length, lines.at(-1)?.id]);
  return (
    <section className={classes.log} aria-label={t('logs.title')}>
      <div className={classes.head}>
        <h3 className={classes.title}>{t('logs.title')}</h3>
        <Tag tone={isLive ? 'success' : 'warning'}>{t(isLive ? 'logs.live' : 'logs.lost')}</Tag>
        <span className={classes.space} />
        {only === undefined ? null : (
          <Button size="compact-xs" variant="default" onClick={() => setOnly(undefined)}>
            {t('logs.all')}
          </Button>
        )}
        {lines.length === 0 ? null : (
          <Button size="compact-xs" variant="default" onClick={clear}>
            {t('logs.clear')}
          </Button>
        )}
      </div>
      {shown.length === 0 ? (
        <p className={classes.none}>{t('logs.none')}</p>
      ) : (
        <div
          ref={box}
          className={classes.lines}
          role="log"
          aria-label={t('logs.title')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
          }}
        >
          {shown.map((line) => (
            <Line key={line.id} line={line} onOnly={setOnly} />
          ))}
        </div>
      )}
    </section>
  );
}

function Line({ line, onOnly }: { line: LogLine; onOnly: (requestId: string) => void }) {
  const { at, level, line: text, requestId } = line;
  const moment = new Date(at);
  return (
    <div className={classes.line} data-level={level}>
      <time dateTime={moment.toISOString()} title={moment.toISOString()} className={classes.time}>
        {moment.toLocaleTimeString([], { hour12: false })}
      </time>
      <span className={classes.level}>{level}</span>
      <span className={classes.text}>{text}</span>
      {requestId === undefined ? null : (
        <button
          type="button"
          className={classes.request}
          title={t('logs.only')}
          aria-label={`${t('logs.request', { id: requestId })}: ${t('logs.only')}`}
          onClick={() => onOnly(requestId)}
        >
          {requestId.slice(0, 8)}
        </button>
      )}
    </div>
  );
}
