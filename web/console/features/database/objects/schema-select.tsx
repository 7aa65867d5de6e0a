import { useQuery } from '@tanstack/react-query';
import { bySchema } from '../../../api/system-schemas.ts';
import { SearchSelect } from '../../../components/search-select.tsx';
import { vocabularyQuery } from '../../tables/schema/api.ts';
import { t } from './text.ts';

/** The field for the schema of a new object. */
export function SchemaSelect({ value, onChange }: { value: string; onChange: (schema: string) => void }) {
  const { data } = useQuery(vocabularyQuery);
  return (
    <SearchSelect
      label={t('objects.schema')}
      value={value}
      data={(data?.schemas ?? ['public']).toSorted(bySchema)}
      onChange={onChange}
    />
  );
}
