/** Small components of the sections of an organization's page. */
import { Button, NativeSelect } from '@mantine/core';
import { createContext, type ReactNode, useContext, useId } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { Form, FormButton } from '../form/form.tsx';
import type { useSubmit } from '../form/use-submit.ts';
import classes from '../security/security.module.css';
import { t } from '../text.ts';
import { grantableRoles, type Organization, roleName } from './data.ts';

interface Context {
  readonly organization: Organization;
  /** Loads the organization again after a change. */
  readonly reload: () => Promise<void>;
}

const OrganizationContext = createContext<Context | undefined>(undefined);
export const OrganizationProvider = OrganizationContext.Provider;

export function useOrganization(): Context {
  const context = useContext(OrganizationContext);
  if (context === undefined) throw new Error('no organization');
  return context;
}

/** Confirms the last change of a section. */
export const Done = ({ text }: { text: string | undefined }) => (
  <div role="status">
    {text === undefined ? null : (
      <Notice tone="success">
        <WithAddresses text={text} />
      </Notice>
    )}
  </div>
);

export function RoleSelect(props: { id: string; initial?: string; isFirst?: boolean }) {
  const { organization } = useOrganization();
  return (
    <NativeSelect
      id={props.id}
      name="role"
      size="md"
      label={t('organization.role')}
      defaultValue={props.initial ?? 'member'}
      data={grantableRoles(organization).map(({ key }) => ({
        value: key,
        label: roleName(organization, key),
      }))}
      {...(props.isFirst === true ? { 'data-autofocus': true } : {})}
    />
  );
}

/** The form that confirms an action of a list entry, in place of the entry's buttons. */
export function Question(props: {
  label: string;
  ask?: string;
  submit: Pick<ReturnType<typeof useSubmit>, 'onSubmit' | 'problems' | 'busy'>;
  button: string;
  isDangerous?: boolean;
  onCancel: () => void;
  children?: ReactNode;
}) {
  const { label, ask, submit, button, isDangerous = false, onCancel, children } = props;
  const askId = useId();
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={label}>
      {ask === undefined ? null : (
        <p id={askId}>
          <WithAddresses text={ask} />
        </p>
      )}
      {children}
      <div className={classes.actions}>
        <FormButton {...(isDangerous ? { color: 'red' } : {})} loading={submit.busy}>
          {button}
        </FormButton>
        {/* If the form has no field, the safe choice has focus, together with the question. */}
        <Button
          variant="default"
          onClick={onCancel}
          {...(children === undefined ? { 'data-autofocus': true, 'aria-describedby': askId } : {})}
        >
          {t('organization.cancel')}
        </Button>
      </div>
    </Form>
  );
}
