/**
 * Lets the operator choose the persona (the operator, an anonymous visitor, a user or custom claims) whose access the
 * page shows. The choice is part of the URL.
 */
import { Button, Popover, Textarea } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { PopupLayer } from '../keyboard/modal-layer.ts';
import { SearchInput } from '../search-input.tsx';
import { useDebounced } from '../use-debounced.ts';
import { type Persona, parseClaims, parsePersona, printPersona } from './persona.ts';
import { PersonaButton } from './persona-button.tsx';
import classes from './persona-picker.module.css';
import { t } from './persona-text.ts';

const usersQuery = (search: string) =>
  queryOptions({
    queryKey: ['persona-users', search],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /personas/users', { query: { search }, signal })).users,
    placeholderData: keepPreviousData,
  });

/**
 * @example
 * <PersonaPicker as={search.as} onChange={(as) => navigate({ search: (previous) => ({ ...previous, as }) })} />
 */
export function PersonaPicker({
  as,
  startsOpen = false,
  onChange,
}: {
  as: string | undefined;
  /** Whether the picker opens immediately. */
  startsOpen?: boolean;
  onChange: (as: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const persona = parsePersona(as);
  useEffect(() => {
    if (!startsOpen) return;
    // The picker has replaced the button that had the focus. The picker's own button gets the focus, so that the focus
    // returns to that button when the picker closes.
    button.current?.focus();
    setOpen(true);
  }, [startsOpen]);
  const choose = (next: Persona): void => {
    setOpen(false);
    onChange(printPersona(next));
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={320}
      trapFocus
      returnFocus
      withinPortal
      shadow="md"
    >
      <Popover.Target>
        <PersonaButton ref={button} as={as} onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('persona.title')} className={classes.dropdown}>
        <PopupLayer />
        {isOpen ? <Choices persona={persona} onChoose={choose} /> : null}
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices({ persona, onChoose }: { persona: Persona; onChoose: (persona: Persona) => void }) {
  return (
    <div className={classes.choices}>
      <PersonaChoice
        isChosen={persona.kind === 'operator'}
        title={t('persona.operator')}
        text={t('persona.operator-why')}
        onChoose={() => onChoose({ kind: 'operator' })}
      />
      <PersonaChoice
        isChosen={persona.kind === 'anon'}
        title={t('persona.anon')}
        text={t('persona.anon-why')}
        onChoose={() => onChoose({ kind: 'anon' })}
      />
      <PersonaUsers chosen={persona.kind === 'user' ? persona.id : undefined} onChoose={onChoose} />
      <ClaimsForm persona={persona} onChoose={onChoose} />
    </div>
  );
}

/** An entry in a list of personas. */
export function PersonaChoice({
  isChosen,
  title,
  text,
  onChoose,
}: {
  isChosen: boolean;
  title: ReactNode;
  text?: string;
  onChoose: () => void;
}) {
  return (
    <button type="button" className={classes.choice} aria-pressed={isChosen} onClick={onChoose}>
      <span className={classes.names}>
        <span className={classes.name}>{title}</span>
        {text === undefined ? null : <span className={classes.text}>{text}</span>}
      </span>
      {isChosen ? <IconCheck size={15} aria-hidden /> : null}
    </button>
  );
}

/** Lists the users who signed in most recently, with a search for other users. */
export function PersonaUsers({
  chosen,
  onChoose,
}: {
  chosen: string | undefined;
  onChoose: (persona: Persona) => void;
}) {
  const [search, setSearch] = useState('');
  const [text, setText] = useDebounced(search, setSearch);
  const { data } = useQuery(usersQuery(search));
  const queryClient = useQueryClient();
  /** Chooses the user with exactly this name, or the first user in the list. */
  async function chooseFound(): Promise<void> {
    if (text.trim() === '') return;
    // The list may still show the results of an earlier text.
    const users = await queryClient.fetchQuery(usersQuery(text));
    const found = users.find(({ name }) => name === text.trim()) ?? users[0];
    if (found !== undefined) onChoose({ kind: 'user', id: found.id });
  }
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{t('persona.user')}</legend>
      <SearchInput
        label={t('persona.search')}
        value={text}
        onChange={setText}
        onEnter={() => void chooseFound().catch(() => undefined)}
      />
      {data?.length === 0 ? <p className={classes.text}>{t('persona.no-user')}</p> : null}
      <div className={classes.users}>
        {data?.map(({ id, name, guest }) => (
          <PersonaChoice
            key={id}
            isChosen={id === chosen}
            title={name ?? `${t('persona.guest')} ${id.slice(0, 8)}`}
            onChoose={() => onChoose({ kind: 'user', id })}
            {...(guest && name !== null ? { text: t('persona.guest') } : {})}
          />
        ))}
      </div>
    </fieldset>
  );
}

const exampleClaims = { role: 'authenticated', sub: '00000000-0000-0000-0000-000000000000' };

export function ClaimsForm({
  persona,
  onChoose,
}: {
  persona: Persona;
  onChoose: (persona: Persona) => void;
}) {
  const [text, setText] = useState(() =>
    JSON.stringify(persona.kind === 'claims' ? persona.claims : exampleClaims, null, 2),
  );
  const [isBad, setBad] = useState(false);
  return (
    <form
      className={classes.group}
      aria-label={t('persona.claims')}
      onSubmit={(event) => {
        event.preventDefault();
        const claims = parseClaims(text);
        setBad(claims === undefined);
        if (claims !== undefined) onChoose({ kind: 'claims', claims });
      }}
    >
      <Textarea
        size="xs"
        label={t('persona.claims')}
        aria-description={t('persona.claims-field')}
        autosize={false}
        rows={5}
        spellCheck={false}
        classNames={{ input: classes.claims }}
        error={isBad ? t('persona.claims-bad') : undefined}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" size="compact-sm" variant="default">
        {t('persona.claims-use')}
      </Button>
    </form>
  );
}
