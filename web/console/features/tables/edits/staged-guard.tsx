/** Asks for confirmation before collected edits are lost. Loaded when edits are collected, because it needs a dialog. */
import type { AsSearch } from '../../../components/persona/persona.ts';
import { type Scope, useUnsaved } from '../../../components/unsaved.tsx';

const nothing = (): void => undefined;

/** Another table or persona starts without the edits. The filters and panels of the same table keep them. */
const isOtherView: Scope = (current, next) =>
  current.pathname !== next.pathname || personaIn(current.search) !== personaIn(next.search);

const personaIn = (search: AsSearch): string | undefined => search.as;

export default function StagedGuard({ isDirty }: { isDirty: boolean }) {
  return useUnsaved(isDirty, nothing, isOtherView).question;
}
