/** Whose rows the table shows. Loaded beside the grid, which does not wait for it. */
import { PersonaPicker } from '../../components/persona-picker.tsx';

export default function TablePersona(props: {
  as: string | undefined;
  onChange: (as: string | undefined) => void;
}) {
  return <PersonaPicker {...props} />;
}
