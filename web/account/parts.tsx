/** Small components for the pages' forms. */
import { Button, type ButtonProps, TextInput } from '@mantine/core';
import {
  type ChangeEvent,
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
} from 'react';
import { useLocation } from 'wouter';
import { describedBy } from '../ui/described-by.tsx';
import { useFlow } from './flow.ts';
import { digitsOf, looksLikeEmail } from './form/fields.ts';
import { Form, FormButton } from './form/form.tsx';
import { keepTyped, typedAddress } from './form/typed-address.ts';
import { usePageConfig } from './page-config.ts';
import classes from './parts.module.css';
import { introId } from './shell.tsx';
import { t } from './text.ts';

/**
 * A placeholder for data that is loading. The placeholder is invisible at first, because most requests finish quickly.
 */
export function Waiting({ count = 1 }: { count?: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all items are identical
    <div key={index} data-placeholder className={classes.waiting} />
  ));
}

export { Form };

export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}

export function Row({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

/**
 * Styles for buttons whose labels may need two lines in other languages or on small screens. Icons are aligned with the
 * button's edge.
 */
export const wide = { root: classes.wide, section: classes.section, label: classes.label };

/** `isDisabled` is set while another button of the form is busy. */
export function Submit(props: { busy: boolean; isDisabled?: boolean; children: ReactNode }) {
  const { busy, isDisabled = false, children } = props;
  return (
    <FormButton fullWidth size="md" loading={busy} disabled={isDisabled} classNames={wide}>
      {children}
    </FormButton>
  );
}

export function SubtleButton(props: ButtonProps & ComponentProps<'button'>) {
  return <Button type="button" variant="default" size="md" fullWidth classNames={wide} {...props} />;
}

/** A button for an action that can't be undone. */
export function DangerButton(props: ButtonProps & ComponentProps<'button'>) {
  return <SubtleButton {...props} classNames={{ ...wide, root: `${classes.wide} ${classes.danger}` }} />;
}

interface PageLinkProps {
  readonly to: string;
  readonly query?: string;
  readonly children: ReactNode;
}

/**
 * A link that opens another Account page and preserves the parameters of the flow. Without scripts, the link is an
 * ordinary link.
 */
function usePage({ to, query }: PageLinkProps) {
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const own = query === undefined ? search : `${search === '' ? '?' : `${search}&`}${query}`;
  return {
    href: `/account/${to}${own}`,
    onClick(event: MouseEvent<HTMLAnchorElement>) {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      navigate(`/${to}${own}`);
    },
  };
}

/** A link to another website that looks like a button. */
export function LinkButton(props: { href: string; isSubtle?: boolean; children: ReactNode }) {
  const { href, isSubtle = false, children } = props;
  return (
    <Button
      component="a"
      variant={isSubtle ? 'default' : 'filled'}
      size="md"
      fullWidth
      classNames={wide}
      href={href}
    >
      {children}
    </Button>
  );
}

export function PageLink(props: PageLinkProps) {
  return (
    <a className={classes.link} {...usePage(props)}>
      {props.children}
    </a>
  );
}

/** A link to an Account page that looks like a button. `isSubtle` is for optional actions. */
export function PageButton(props: PageLinkProps & { isSubtle?: boolean; icon?: ReactNode }) {
  const { isSubtle = false, icon } = props;
  return (
    <Button
      component="a"
      variant={isSubtle ? 'default' : 'filled'}
      size="md"
      fullWidth
      classNames={wide}
      leftSection={icon}
      {...usePage(props)}
    >
      {props.children}
    </Button>
  );
}

/** A link to the list of accounts in this browser. The server renders the list, so the router doesn't open it. */
export function AccountsLink({ children }: { children: ReactNode }) {
  const { search } = useFlow();
  return (
    <Button
      component="a"
      variant="default"
      size="md"
      fullWidth
      classNames={wide}
      href={`/account/accounts${search}`}
    >
      {children}
    </Button>
  );
}

export function TextButton({ children, ...rest }: ComponentProps<'button'>) {
  return (
    <button type="button" className={classes.link} {...rest}>
      {children}
    </button>
  );
}

export function Divider({ children }: { children: string }) {
  return <div className={classes.divider}>{children}</div>;
}

/** Shows a text with a number. The number is emphasized, because the user types the number on another device. */
export function NumberAside({ text, number }: { text: string; number: number | string }) {
  const [before, after = ''] = text.split(String(number));
  return (
    <Aside>
      {before}
      <strong className={classes.number}>{number}</strong>
      {after}
    </Aside>
  );
}

export function Aside({ children }: { children: ReactNode }) {
  return <p className={classes.aside}>{children}</p>;
}

/** The attributes of a field that the page focuses. Screen readers then also read the text above the field. */
const first = { 'data-first': true, ...describedBy(introId) };

export function EmailField(props: {
  id: string;
  error?: string | undefined;
  label?: ReactNode;
  /** Whether the browser offers passkeys in this field. */
  withKeys?: boolean;
  /** Whether the typed address is kept in this tab for the next page's field. */
  keepsTyped?: boolean;
  /** Whether the address belongs to another person, so that the browser doesn't suggest the user's own. */
  isOther?: boolean;
  /** Whether the field also accepts a phone number. */
  takesPhone?: boolean;
  /** Whether the page focuses this field instead of the page's heading. */
  isFirst?: boolean;
}) {
  const field = useRef<HTMLInputElement>(null);
  const { address } = usePageConfig();
  useEffect(() => {
    // The address stored for this tab replaces the address that the server wrote into the page, unless the user has
    // already typed an address.
    if (props.keepsTyped !== true || !['', address].includes(field.current?.value ?? '')) return;
    const typed = typedAddress();
    const isWanted = looksLikeEmail(typed) || props.takesPhone === true;
    if (field.current !== null) field.current.value = isWanted ? typed : '';
  }, [props.keepsTyped, props.takesPhone, address]);
  return (
    <TextInput
      id={props.id}
      name="email"
      type={props.takesPhone === true ? 'text' : 'email'}
      size="md"
      label={props.label ?? t('field.email')}
      autoComplete={
        props.isOther === true ? 'off' : props.withKeys === true ? 'username webauthn' : 'username'
      }
      inputMode="email"
      spellCheck={false}
      autoCapitalize="none"
      required
      withAsterisk={false}
      error={props.error}
      ref={field}
      {...(props.isFirst === true ? first : {})}
      {...(props.keepsTyped === true ? { defaultValue: address } : {})}
      {...(props.keepsTyped === true
        ? {
            onChange: (event: ChangeEvent<HTMLInputElement>) => keepTyped(event.currentTarget.value),
          }
        : {})}
    />
  );
}

export function PhoneField(props: {
  id: string;
  error?: string | undefined;
  label?: string;
  /** Whether the page focuses this field instead of the page's heading. */
  isFirst?: boolean;
}) {
  return (
    <TextInput
      id={props.id}
      name="phone"
      type="tel"
      size="md"
      label={props.label ?? t('field.phone')}
      placeholder="+44 7700 900123"
      autoComplete="tel"
      inputMode="tel"
      required
      withAsterisk={false}
      error={props.error}
      {...(props.isFirst === true ? first : {})}
    />
  );
}

/**
 * A field for a code. A single wide field is used instead of one box per digit, because pasting, autofill, screen
 * readers and undo work in it.
 */
export function CodeField(props: {
  id: string;
  length: number;
  name?: string;
  /** Whether the page focuses this field instead of the page's heading. */
  isFirst?: boolean;
  label?: ReactNode;
  error?: string | undefined;
  onComplete: (form: HTMLFormElement) => void;
}) {
  return (
    <TextInput
      id={props.id}
      name={props.name ?? 'code'}
      {...(props.isFirst === true ? first : {})}
      size="md"
      label={props.label ?? t('field.code')}
      autoComplete="one-time-code"
      inputMode="numeric"
      pattern="[0-9]*"
      required
      withAsterisk={false}
      error={props.error}
      classNames={{ input: classes.code }}
      onChange={(event) => {
        const field = event.currentTarget;
        const digits = digitsOf(field.value, props.length);
        if (digits !== field.value) field.value = digits;
        if (digits.length === props.length && field.form !== null) props.onComplete(field.form);
      }}
    />
  );
}
