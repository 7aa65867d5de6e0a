import { Button, NativeSelect } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { SearchInput } from '../../components/search-input.tsx';
import { Tag } from '../../components/tag.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { useEntryStream } from '../../components/use-entry-stream.ts';
import { type LogFilter, type LogLine, liveLogUrl } from './api.ts';
import classes from './log-view.module.css';
import { t } from './text.ts';

/** Shows a function's log. If the view is scrolled to the end, it stays at the end when new lines arrive. */
export function LogView({
  slug,
  requestId,
  onRequest,
}: {
  slug: string;
  /** If set, only lines from this request are shown. */
  requestId: string | undefined;
  onRequest: (requestId: string | undefined) => void;
}) {
  const [level, setLevel] = useState<NonNullable<LogFilter['level']> | ''>('');
  const [search, setSearch] = useState('');
  const filter: LogFilter = {
    ...(level === '' ? {} : { level }),
    ...(search === '' ? {} : { search }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const { entries, left, isLive, clear } = useEntryStream<LogLine>(liveLogUrl(slug, filter));
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line requires scrolling to the end
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [entries.length, entries.at(-1)?.id]);
  return (
    <section className={classes.log} aria-label={t('output.title')}>
      <div className={classes.head}>
        <h3 className={classes.title}>{t('output.title')}</h3>
        <Tag tone={isLive ? 'success' : 'warning'}>{t(isLive ? 'output.live' : 'output.lost')}</Tag>
        <span className={classes.space} />
        <SearchBox value={search} onChange={setSearch} />
        <NativeSelect
          size="xs"
          aria-label={t('output.level')}
          value={level}
          data={[
            { value: '', label: t('output.any-level') },
            { value: 'info', label: t('output.level-info') },
            { value: 'warn', label: t('output.level-warn') },
            { value: 'error', label: t('output.level-error') },
          ]}
          onChange={(event) => setLevel(event.currentTarget.value as typeof level)}
        />
        {requestId === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => onRequest(undefined)}>
            {t('output.all')}
          </Button>
        )}
        {entries.length === 0 ? null : (
          <Button size="compact-sm" variant="default" onClick={clear}>
            {t('output.clear')}
          </Button>
        )}
      </div>
      {left === 0 ? null : (
        <p role="status" className={classes.none}>
          {t('output.left', { count: left })}
        </p>
      )}
      {entries.length === 0 ? (
        <p className={classes.none}>
          {t(Object.keys(filter).length === 0 ? 'output.none' : 'output.none-found')}
        </p>
      ) : (
        <div
          ref={box}
          className={classes.lines}
          role="log"
          aria-label={t('output.title')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
          tabIndex={0}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
          }}
        >
          {entries.map((line) => (
            <Line key={`${line.node ?? ''} ${line.id}`} line={line} onOnly={onRequest} />
          ))}
        </div>
      )}
    </section>
  );
}

function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useDebounced(value, onChange);
  return <SearchInput label={t('output.search')} value={text} autoComplete="off" onChange={setText} />;
}

function Line({ line, onOnly }: { line: LogLine; onOnly: (requestId: string) => void }) {
  const { at, level, line: text, requestId, node } = line;
  const moment = new Date(at);
  return (
    <div className={classes.line} data-level={level}>
      <time dateTime={moment.toISOString()} title={moment.toISOString()} className={classes.time}>
        {moment.toLocaleTimeString([], { hour12: false })}
      </time>
      <span className={classes.level}>{level}</span>
      <span className={classes.text}>
        {node === undefined ? null : <span className={classes.node}>{node} </span>}
        {text}
      </span>
      {requestId === undefined ? null : (
        <button
          type="button"
          className={classes.request}
          title={t('output.only')}
          aria-label={`${t('output.request', { id: requestId })}: ${t('output.only')}`}
          onClick={() => onOnly(requestId)}
        >
          {requestId.slice(0, 8)}
        </button>
      )}
    </div>
  );
}
