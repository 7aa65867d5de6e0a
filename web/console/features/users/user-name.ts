import type { User } from '../../api/types.ts';

/** What a person goes by: address, number, else the id. */
export const nameOf = ({ email, phone, id }: User): string => email || (phone ? `+${phone}` : id);
