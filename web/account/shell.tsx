import { type ReactNode, useEffect, useRef } from 'react';
import { SchemeSwitch } from '../ui/scheme-switch.tsx';
import { LanguageLinks } from './language-links.tsx';
import { usePageConfig } from './page-config.ts';
import classes from './shell.module.css';
import { type TextId, t } from './text.ts';
import { useFocusKept } from './use-focus-kept.ts';

/** True after the first page of this load. Later pages take the focus, but the first page must not. */
let isLater = false;

export interface ShellProps {
  readonly page: Extract<TextId, `page.${string}`>;
  readonly lead?: ReactNode;
  /** Wide pages contain several separate cards. */
  readonly wide?: boolean;
  readonly children?: ReactNode;
}

/** Brand, heading, one card, footer. Anchored at the top, so that nothing moves while the rest loads. */
export function Shell({ page, lead, wide = false, children }: ShellProps) {
  const { brand } = usePageConfig();
  const heading = useRef<HTMLHeadingElement>(null);
  const main = useFocusKept<HTMLElement>();
  const title = t(page);
  useEffect(() => {
    document.title = t('page.title', { page: title, name: brand.name });
    if (isLater) heading.current?.focus();
    isLater = true;
  }, [title, brand.name]);
  return (
    <div className={classes.shell}>
      <header className={classes.header}>
        <img className={classes.logo} src={brand.logo} width={36} height={36} alt="" />
        <span className={classes.name}>{brand.name}</span>
      </header>
      <main ref={main} className={wide ? classes.wide : classes.card}>
        <div className={classes.heading}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead === undefined ? null : <p className={classes.lead}>{lead}</p>}
        </div>
        {children}
      </main>
      <footer className={classes.footer}>
        <FooterLink name="support" href={brand.supportUrl} text={t('footer.support')} />
        <FooterLink name="terms" href={brand.termsUrl} text={t('footer.terms')} />
        <FooterLink name="privacy" href={brand.privacyUrl} text={t('footer.privacy')} />
        <LanguageLinks />
        <SchemeSwitch />
      </footer>
    </div>
  );
}

/** The server keeps the links that the project has configured (`keepLinks` in `src/account/core/html.ts`). */
function FooterLink(props: { name: string; href: string | undefined; text: string }) {
  return props.href === undefined ? null : (
    <a data-link={props.name} href={props.href}>
      {props.text}
    </a>
  );
}
