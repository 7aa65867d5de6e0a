/** The frame of the plain pages. */
import type { ReactNode } from 'react';
import { Form } from '../parts.tsx';
import { Shell, type ShellProps } from '../shell.tsx';
import { type ErrorField, problemsAt } from './fields.tsx';

/** Does nothing, because the browser submits the form itself. */
const posts = () => {};

export const Page = (props: { title: string; intro?: ReactNode; children?: ReactNode }) => (
  <Shell page={props.title as ShellProps['page']} intro={props.intro}>
    {props.children}
  </Shell>
);

export const Posted = (props: { errorField: ErrorField | undefined; children: ReactNode }) => (
  <Form onSubmit={posts} problems={problemsAt(props.errorField)}>
    {props.children}
  </Form>
);

/** The last page in this window, because the user continues in another window. */
export const Last = ({ title, text }: { title: string; text: string }) => <Page title={title} intro={text} />;
