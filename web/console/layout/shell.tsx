/** The frame around every page, with the menu, the palette, the color scheme and the operator. */
import { ActionIcon } from '@mantine/core';
import { IconLogout, IconMenu2, IconSearch } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, useId, useState } from 'react';
import { SchemeSwitch } from '../../ui/scheme-switch.tsx';
import { t as shared } from '../../ui/text.ts';
import { homeQuery } from '../api/queries.ts';
import { sessionEndedQuery, sessionQuery, signOut } from '../api/session.ts';
import { useNearestFocus } from '../components/keyboard/nearest-focus.ts';
import { collectTyped } from '../components/keyboard/typed-ahead.ts';
import { lazyPart } from '../components/lazy-part.ts';
import { ImpersonationBanner } from '../components/persona/impersonation-banner.tsx';
import logo from '../logo.svg';
import { type MenuGroup, menuGroups } from '../pages.ts';
import { t } from '../text.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { type MenuEntry, useMenu } from './menu.ts';
import classes from './shell.module.css';
import { usePageFocus } from './use-page-focus.ts';
import { useRowKeys } from './use-row-keys.ts';
import { commandKey, useShortcuts } from './use-shortcuts.ts';

const MenuDrawer = lazyPart(() => import('./menu-drawer.tsx'));
const Palette = lazyPart(() => import('./palette.tsx'));
const ShortcutList = lazyPart(() => import('./shortcut-list.tsx'));
const SignedOut = lazyPart(() => import('./signed-out.tsx'));

export function Shell() {
  const [menuOpen, setMenuOpen] = useState(false);
  const [paletteOpens, setPaletteOpens] = useState(0);
  const [shortcutsOpen, setShortcutsOpen] = useState(false);
  const openPalette = (): void => {
    collectTyped();
    setPaletteOpens((times) => times + 1);
  };
  const { data: hasEnded } = useQuery(sessionEndedQuery);
  useShortcuts({
    onPalette: openPalette,
    onShortcuts: () => setShortcutsOpen(true),
  });
  useNearestFocus();
  const closeMenu = (): void => setMenuOpen(false);
  usePageFocus();
  useRowKeys();
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        {shared('ui.skip')}
      </a>
      <section className={classes.topbar} aria-label={t('nav.bar')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('nav.menu')}
          onClick={() => setMenuOpen(true)}
        >
          <IconMenu2 size={20} aria-hidden />
        </ActionIcon>
        <Brand />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('palette.open')}
          onClick={openPalette}
        >
          <IconSearch size={20} aria-hidden />
        </ActionIcon>
      </section>
      <section className={classes.sidebar} aria-label={t('nav.bar')}>
        <Brand />
        <Sidebar onPalette={openPalette} onShortcuts={() => setShortcutsOpen(true)} />
      </section>
      <main id="content" className={classes.content} tabIndex={-1}>
        <ImpersonationBanner />
        <Outlet />
      </main>
      <ConnectionBanner />
      <Suspense fallback={null}>
        {menuOpen ? (
          <MenuDrawer title={<Brand />} onClose={closeMenu}>
            <Sidebar
              onNavigate={closeMenu}
              onPalette={() => {
                closeMenu();
                openPalette();
              }}
              onShortcuts={() => {
                closeMenu();
                setShortcutsOpen(true);
              }}
            />
          </MenuDrawer>
        ) : null}
        {paletteOpens === 0 ? null : (
          <Palette opens={paletteOpens} onShortcuts={() => setShortcutsOpen(true)} />
        )}
        {shortcutsOpen ? <ShortcutList onClose={() => setShortcutsOpen(false)} /> : null}
        {hasEnded ? <SignedOut /> : null}
      </Suspense>
    </div>
  );
}

function Brand() {
  const { data } = useQuery({ ...homeQuery, refetchInterval: false });
  return (
    <span className={classes.brand}>
      <img src={logo} alt="" width={22} height={22} />
      <span className={classes.project}>{data?.project ?? t('app.name')}</span>
    </span>
  );
}

function Sidebar({
  onNavigate,
  onPalette,
  onShortcuts,
}: {
  onNavigate?: () => void;
  onPalette: () => void;
  onShortcuts: () => void;
}) {
  const menu = useMenu();
  return (
    <>
      <button type="button" className={classes.search} onClick={onPalette}>
        <IconSearch size={16} aria-hidden />
        <span>{t('palette.open')}</span>
        <kbd>{commandKey}K</kbd>
      </button>
      <nav className={classes.nav} aria-label={t('nav.label')}>
        <MenuLinks entries={menu.filter(({ group }) => group === undefined)} onNavigate={onNavigate} />
        {menuGroups.map((name) => (
          <MenuSection
            key={name}
            name={name}
            entries={menu.filter(({ group }) => group === name)}
            onNavigate={onNavigate}
          />
        ))}
      </nav>
      <div className={classes.foot}>
        <div className={classes.footRow}>
          <SchemeSwitch />
          <button
            type="button"
            className={classes.help}
            onClick={onShortcuts}
            aria-label={t('shortcuts.title')}
          >
            <kbd aria-hidden>?</kbd>
          </button>
        </div>
        <OperatorRow />
      </div>
    </>
  );
}

function OperatorRow() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { data } = useQuery(sessionQuery);
  if (data === undefined || data === null) return null;
  const { name, role } = data.operator;
  return (
    <div className={classes.footRow}>
      <span className={classes.operator}>
        <span className={classes.operatorName}>{name}</span>
        {name === role ? null : <span className={classes.role}>{role}</span>}
      </span>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('session.sign-out')}
        title={t('session.sign-out')}
        onClick={() => void signOut(queryClient).finally(() => router.invalidate())}
      >
        <IconLogout size={18} stroke={1.75} aria-hidden />
      </ActionIcon>
    </div>
  );
}

interface MenuLinksProps {
  readonly entries: readonly MenuEntry[];
  readonly onNavigate: (() => void) | undefined;
}

function MenuSection({ name, ...props }: MenuLinksProps & { readonly name: MenuGroup }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, and these are links
    <div role="group" aria-labelledby={id} className={classes.group}>
      <p id={id} className={classes.groupName}>
        {t(`nav.group-${name}`)}
      </p>
      <MenuLinks {...props} />
    </div>
  );
}

const MenuLinks = ({ entries, onNavigate }: MenuLinksProps) =>
  entries.map(({ to, label, Icon }) => (
    <Link
      key={to}
      to={to}
      className={classes.link}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      onClick={onNavigate}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      {t(label)}
    </Link>
  ));
