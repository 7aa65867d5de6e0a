import type { ReactNode } from 'react';
import { usePageConfig } from './page-config.ts';
import classes from './parts.module.css';
import { t } from './text.ts';

const kinds = ['terms', 'privacy', 'terms-and-privacy'] as const;

/**
 * Names the documents that the project requires for an account, and links to them. The prerendered page contains every
 * version of the sentence, and the server keeps the project's version (`keepAgreement` in
 * `src/pages/account/core/html.ts`).
 */
export function Agreement() {
  const { termsUrl, privacyUrl } = usePageConfig().brand;
  const own = [termsUrl && 'terms', privacyUrl && 'privacy'].filter(Boolean).join('-and-');
  return kinds
    .filter((kind) => import.meta.env.SSR || kind === own)
    .map((kind) => (
      <p key={kind} data-agreement={kind} className={classes.aside}>
        {linked(t(`sign-up.${kind}`), [termsUrl, privacyUrl])}
      </p>
    ));
}

/** Replaces each numbered tag, such as `<0>Terms</0>`, with a link to the address at that index. */
function linked(text: string, addresses: readonly (string | undefined)[]): ReactNode[] {
  return text.split(/(<\d>.*?<\/\d>)/).map((part) => {
    const [, index, label] = /^<(\d)>(.*)<\/\d>$/.exec(part) ?? [];
    return index === undefined ? (
      part
    ) : (
      <a
        key={index}
        className={classes.link}
        href={addresses[Number(index)]}
        target="_blank"
        rel="noreferrer"
      >
        {label}
      </a>
    );
  });
}
