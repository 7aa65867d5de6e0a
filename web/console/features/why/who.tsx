/**
 * Lets the operator select the persona whose access is explained. The persona is selected on the page itself, because
 * every result depends on the persona.
 */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Persona, parsePersona, printPersona } from '../../components/persona/persona.ts';
import { usePersonaName } from '../../components/persona/persona-name.ts';
import { ClaimsForm, PersonaChoice, PersonaUsers } from '../../components/persona/persona-picker.tsx';
import classes from './page.module.css';
import { t } from './text.ts';
import type { Step } from './use-next-field.ts';

export function Who({
  as,
  step,
  onChange,
}: {
  as: string | undefined;
  step: Step;
  onChange: (as: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const name = usePersonaName(as);
  const persona = parsePersona(as);
  const choose = (next: Persona): void => {
    setOpen(false);
    const chosen = printPersona(next) ?? 'operator';
    if (chosen !== as) onChange(chosen);
  };
  return (
    <section className={classes.form} aria-label={t('why.who')}>
      <h2 className={classes.legend}>{t('why.who')}</h2>
      {as !== undefined && !isOpen ? (
        <div className={classes.who}>
          <strong className={classes.whoName}>{name}</strong>
          <Button
            size="compact-sm"
            variant="default"
            data-next={step === 'result' || undefined}
            onClick={() => setOpen(true)}
          >
            {t('why.who-change')}
          </Button>
        </div>
      ) : (
        <div className={classes.choices}>
          <PersonaChoice
            isChosen={persona.kind === 'anon'}
            title={t('why.who-anon')}
            text={t('why.who-anon-text')}
            onChoose={() => choose({ kind: 'anon' })}
          />
          <div data-next={step === 'who' || undefined}>
            <PersonaUsers chosen={persona.kind === 'user' ? persona.id : undefined} onChoose={choose} />
          </div>
          <details className={classes.more}>
            <summary>{t('why.who-more')}</summary>
            <PersonaChoice
              isChosen={as === 'operator'}
              title={t('why.who-operator')}
              text={t('why.who-operator-text')}
              onChoose={() => choose({ kind: 'operator' })}
            />
            <ClaimsForm persona={persona} onChoose={choose} />
          </details>
        </div>
      )}
    </section>
  );
}
