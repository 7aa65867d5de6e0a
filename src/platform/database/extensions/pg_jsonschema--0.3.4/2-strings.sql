-- Repeats part of a regular expression. PostgreSQL allows at most 255 repetitions, so larger numbers are split.
create function @extschema@._jsonschema_repeat(atom text, low int, high int) returns text
language plpgsql immutable parallel safe
as $$
declare
  optional constant int := high - low;
begin
  return case when low / 250 > 0 then format('(?:(?:%s){250}){%s}', atom, low / 250) else '' end
    || case when low % 250 > 0 then format('(?:%s){%s}', atom, low % 250) else '' end
    || case
      when high is null then format('(?:%s)*', atom)
      else case when optional / 250 > 0 then format('(?:(?:%s){0,250}){0,%s}', atom, optional / 250) else '' end
        || case when optional % 250 > 0 then format('(?:%s){0,%s}', atom, optional % 250) else '' end
    end;
end
$$;

-- Translates a regular expression of ECMA-262 into one of PostgreSQL. Both mean the same in most expressions, but
-- PostgreSQL gives letters after a backslash other meanings and lets `.` match line feeds.
create function @extschema@._jsonschema_regex(pattern text) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  spaces constant text := '\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
  stripped constant text := regexp_replace(pattern, '\\[^A-Za-z0-9]', '', 'g');
  translated text := '';
  token text;
  is_class boolean := false;
  atom int := 1;
  groups int[] := '{}';
  bounds text[];
begin
  -- Most expressions need no translation, or only that of `\d`, `\w` and `\s` outside of brackets.
  if left(pattern, 1) not in ('*', '+', '?')
    and stripped !~ '\\[^dws]|\[[^]]*\\|\(\?|\{\d*,?\d{3}|\{,|\[\]|\[\^\]|\[[^]]*\[' then
    if strpos(stripped, '.') = 0 then
      return case when strpos(stripped, '\') = 0 then pattern
        else replace(replace(replace(pattern, '\d', '[0-9]'), '\w', '[A-Za-z0-9_]'), '\s', '[' || spaces || ']') end;
    elsif strpos(pattern, '\') = 0 and pattern !~ '\[[^]]*\.' then
      return replace(pattern, '.', '[^\n]');
    end if;
  end if;
  if left(pattern, 1) in ('*', '+', '?') then
    perform @extschema@._jsonschema_bad_regex(pattern);
  end if;
  for token in
    select m[1] from regexp_matches(pattern,
      '(\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}'
      '|\\x[0-9A-Fa-f]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\.|\\$|\(\?(?:[:=!]|<[=!]|<[A-Za-z_$][A-Za-z0-9_$]*>)|\(\?'
      '|\[\^\]|\[\]|\[\^|\{[0-9]+(?:,[0-9]*)?\}|.)', 'g') m
  loop
    if token ~ '^\{.+\}$' and not is_class then
      bounds := regexp_match(token, '^\{([0-9]+)(,?)([0-9]*)\}$');
      if bounds[1]::numeric > 250 or (bounds[3] <> '' and bounds[3]::numeric > 250) then
        if greatest(bounds[1]::numeric, nullif(bounds[3], '')::numeric) > 100000 then
          raise exception using errcode = '2201B', message = 'regular expression is too complex: ' || pattern;
        end if;
        translated := left(translated, atom - 1) || @extschema@._jsonschema_repeat(substr(translated, atom),
          bounds[1]::int, case when bounds[2] = '' then bounds[1]::int else nullif(bounds[3], '')::int end);
      else
        translated := translated || token;
      end if;
      continue;
    end if;
    if not is_class then
      if left(token, 1) = '(' then
        groups := groups || (length(translated) + 1);
      elsif token = ')' then
        atom := coalesce(groups[cardinality(groups)], 1);
        groups := trim_array(groups, least(cardinality(groups), 1));
      elsif token not in ('?', '*', '+') then
        atom := length(translated) + 1;
      end if;
    end if;
    translated := translated || case
      when token ~ '^\\u[Dd].{5}' then '\U' || lpad(to_hex(
        65536 + ((('x' || substr(token, 3, 4))::bit(16)::int - 55296) << 10)
        + ('x' || substr(token, 9, 4))::bit(16)::int - 56320), 8, '0')
      when token ~ '^\\u\{' then '\U' || lpad(substr(token, 4, length(token) - 4), 8, '0')
      when token ~ '^\\u' then token
      when token ~ '^\\x' then '\u00' || substr(token, 3)
      when token ~ '^\\c.$' then '\u00' || lpad(to_hex(ascii(substr(token, 3)) & 31), 2, '0')
      when token ~ '^\\[pP]' then @extschema@._jsonschema_property(token, is_class)
      when token = '\d' then case when is_class then '0-9' else '[0-9]' end
      when token = '\D' and not is_class then '[^0-9]'
      when token = '\w' then case when is_class then 'A-Za-z0-9_' else '[A-Za-z0-9_]' end
      when token = '\W' and not is_class then '[^A-Za-z0-9_]'
      when token = '\s' then case when is_class then spaces else '[' || spaces || ']' end
      when token = '\S' and not is_class then '[^' || spaces || ']'
      when token = '\b' then case when is_class then '\u0008' else '\y' end
      when token = '\B' and not is_class then '\Y'
      when token ~ '^\\([DWStnrfv1-9]|[^A-Za-z0-9])$' then token
      when token ~ '^\\' then @extschema@._jsonschema_bad_regex(pattern)
      when token = '(?' then @extschema@._jsonschema_bad_regex(pattern)
      when token ~ '^\(\?<[^=!]' then '('
      when token = '[' and is_class then '\['
      when token = '[^' and is_class then '\[\^'
      when token = '.' and not is_class then '[^\n]'
      when token = '{' and not is_class then '\{'
      when token = '[^]' and not is_class then '(?:.|\n)'
      when token = '[]' and not is_class then '[^\s\S]'
      when token = '[]' then '\[]'
      when token = '[^]' then '\[\^]'
      else token
    end;
    is_class := case
      when token in ('[', '[^') then true
      when token in (']', '[]', '[^]') then false
      else is_class
    end;
  end loop;
  return translated;
end
$$;

create function @extschema@._jsonschema_bad_regex(pattern text) returns text
language plpgsql immutable parallel safe
as $$
begin
  raise exception using errcode = '2201B', message = format('Invalid schema: %s is not a "regex"', to_jsonb(pattern));
end
$$;

-- Translates `\p{...}` into the character class of PostgreSQL that is closest to it.
create function @extschema@._jsonschema_property(token text, is_class boolean) returns text
language plpgsql immutable parallel safe
as $$
declare
  name constant text := regexp_replace(substr(token, 4, length(token) - 4), '^(General_Category|gc|Script|sc)=', '');
  class constant text := case
    when name in ('L', 'Letter', 'Alphabetic', 'Alpha') then '[:alpha:]'
    when name in ('N', 'Number', 'Nd', 'Decimal_Number', 'digit') then '[:digit:]'
    when name in ('Lu', 'Uppercase_Letter', 'Uppercase', 'Upper') then '[:upper:]'
    when name in ('Ll', 'Lowercase_Letter', 'Lowercase', 'Lower') then '[:lower:]'
    when name in ('P', 'Punctuation', 'punct') then '[:punct:]'
    when name in ('Z', 'Separator', 'Zs', 'Space_Separator', 'White_Space', 'space') then '[:space:]'
    when name in ('ASCII') then '\u0001-\u007f'
    when name in ('Latin') then 'A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02b8\u1e00-\u1eff'
    when name in ('Greek') then '\u0370-\u03ff\u1f00-\u1fff'
    when name in ('Cyrillic') then '\u0400-\u052f\u1c80-\u1c88\u2de0-\u2dff\ua640-\ua69f'
    when name in ('Han') then '\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff'
    when name in ('Hiragana') then '\u3041-\u309f'
    when name in ('Katakana') then '\u30a0-\u30ff'
    when name in ('Arabic') then '\u0600-\u06ff\u0750-\u077f'
    when name in ('Hebrew') then '\u0590-\u05ff'
    when name in ('Thai') then '\u0e00-\u0e7f'
    when name in ('Hangul') then '\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3'
  end;
begin
  if class is null or (is_class and left(token, 2) = '\P') then
    raise exception using errcode = '0A000', message = format('Plinth does not support %s in a regular expression', token),
      hint = 'Write the characters as a range, such as \u0400-\u04ff.';
  end if;
  return case when is_class then class when left(token, 2) = '\P' then '[^' || class || ']' else '[' || class || ']' end;
end
$$;

-- Decodes a label in Punycode (RFC 3492) without its prefix. Returns null for an invalid one.
create function @extschema@._jsonschema_punycode(encoded text) returns text
language plpgsql immutable parallel safe
as $$
declare
  delimiter constant int := length(encoded) - strpos(reverse(encoded), '-') + 1;
  codes int[] := case
    when delimiter > length(encoded) then '{}'
    else array(select ascii(c) from regexp_split_to_table(left(encoded, delimiter - 1), '') c where c <> '')
  end;
  position int := case when delimiter > length(encoded) then 1 else delimiter + 1 end;
  n int := 128;
  i bigint := 0;
  bias int := 72;
  old bigint;
  weight bigint;
  threshold int;
  k int;
  digit int;
  delta bigint;
  size int;
begin
  while position <= length(encoded) loop
    old := i;
    weight := 1;
    k := 36;
    loop
      digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', lower(substr(encoded, position, 1))) - 1;
      if position > length(encoded) or digit < 0 then
        return null;
      end if;
      position := position + 1;
      i := i + digit * weight;
      threshold := greatest(1, least(26, k - bias));
      exit when digit < threshold;
      weight := weight * (36 - threshold);
      k := k + 36;
      if weight > 4294967296 or i > 4294967296 then
        return null;
      end if;
    end loop;
    size := cardinality(codes) + 1;
    delta := (i - old) / case when old = 0 then 700 else 2 end;
    delta := delta + delta / size;
    k := 0;
    while delta > 455 loop
      delta := delta / 35;
      k := k + 36;
    end loop;
    bias := k + 36 * delta / (delta + 38);
    n := n + i / size;
    i := i % size;
    if n > 1114111 or n between 55296 and 57343 then
      return null;
    end if;
    codes := codes[: i::int] || n || codes[i::int + 1 :];
    i := i + 1;
  end loop;
  return (select string_agg(chr(code), '' order by place) from unnest(codes) with ordinality c (code, place));
end
$$;

-- Whether a label with characters beyond ASCII is valid, by the rules of RFC 5892 that need a character's neighbors.
create function @extschema@._jsonschema_unicode_label(label text) returns boolean
language sql immutable parallel safe
as $$
  select label is not null
    and label !~ '^[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u20d0-\u20ff\u302a-\u302f]'
    and label !~ '[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]'
    and regexp_replace(label, 'l\u00b7(?=l)', 'l', 'g') !~ '\u00b7'
    and label !~ '\u0375(?![\u0370-\u03ff])' and label !~ '(?<![\u0590-\u05ff])[\u05f3\u05f4]'
    and (label !~ '\u30fb' or label ~ '[\u3040-\u309f\u30a0-\u30fa\u30fc-\u30ff\u4e00-\u9fff]')
    and (label !~ '[\u0660-\u0669]' or label !~ '[\u06f0-\u06f9]')
    and label !~ '(?<![\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0e3a\u0f84])\u200d'
$$;

-- Whether a host name has valid labels. Since draft 7, labels that begin with `xn--` are decoded.
create function @extschema@._jsonschema_hostname(t text, draft int) returns boolean
language sql immutable parallel safe
as $$
  select length(t) <= 253
    and t ~ '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$'
    and (draft < 7 or strpos(t, '--') = 0 or not exists (
      select from string_to_table(t, '.') label
      where label ~ '^..--' and not (left(label, 2) = 'xn'
        and @extschema@._jsonschema_unicode_label(@extschema@._jsonschema_punycode(substr(label, 5))))))
$$;

create function @extschema@._jsonschema_idn_hostname(t text) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  label text;
begin
  t := translate(t, U&'\3002\FF0E\FF61', '...');
  if t ~ '^[\u0001-\u007f]*$' then
    return @extschema@._jsonschema_hostname(t, 7);
  end if;
  if char_length(t) > 253 then
    return false;
  end if;
  foreach label in array string_to_array(t, '.') loop
    if label !~ '^[A-Za-z0-9\u0080-\U0010FFFF]([A-Za-z0-9\u0080-\U0010FFFF-]*[A-Za-z0-9\u0080-\U0010FFFF])?$'
      or char_length(label) > 59 or label ~ '^..--'
      or label ~ '[\u2000-\u200b\u200e\u200f\u2010-\u206f\u00a0-\u00b6\u00b8-\u00bf]'
      or not @extschema@._jsonschema_unicode_label(label) then
      return false;
    end if;
  end loop;
  return true;
end
$$;

create function @extschema@._jsonschema_email(t text, is_international boolean) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  parts constant text[] := regexp_match(t, '^("(?:[^"\\]|\\.)*"|[^"@]+)@(.+)$');
  atoms constant text := case
    when is_international then '[A-Za-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+'
    else '[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+'
  end;
begin
  if parts is null or octet_length(parts[1]) > 64 then
    return false;
  end if;
  if left(parts[1], 1) <> '"' and parts[1] !~ ('^' || atoms || '(\.' || atoms || ')*$') then
    return false;
  end if;
  return case
    when parts[2] ~ '^\[IPv6:.*\]$' then @extschema@._jsonschema_ipv6(substr(parts[2], 7, length(parts[2]) - 7))
    when parts[2] ~ '^\[.*\]$' then @extschema@._jsonschema_ipv4(substr(parts[2], 2, length(parts[2]) - 2))
    when is_international then @extschema@._jsonschema_idn_hostname(parts[2])
    else @extschema@._jsonschema_hostname(parts[2], 7)
  end;
end
$$;

create function @extschema@._jsonschema_ipv4(t text) returns boolean
language sql immutable parallel safe
as $$ select t ~ '^((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\.(?!$)|$)){4}$' $$;

create function @extschema@._jsonschema_ipv6(t text) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  groups int;
begin
  if t ~ '\.' then
    if not @extschema@._jsonschema_ipv4(coalesce(substring(t from '[^:]*$'), '')) then
      return false;
    end if;
    t := regexp_replace(t, '[^:]*$', '0:0');
  end if;
  groups := regexp_count(t, '[0-9A-Fa-f]+');
  if strpos(t, '::') > 0 then
    return groups <= 7 and t ~ '^([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?$';
  end if;
  return groups = 8 and t ~ '^[0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*$';
end
$$;

-- Whether a time has a valid offset. A leap second is only possible at 23:59:60 UTC.
create function @extschema@._jsonschema_time(t text) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  p constant text[] := regexp_match(t,
    '^([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))$');
begin
  return p is not null and (p[3] <> '60' or mod(
    p[1]::int * 60 + p[2]::int
    - coalesce((p[4] || '1')::int * (p[5]::int * 60 + p[6]::int), 0) + 2880, 1440) = 1439);
end
$$;

create function @extschema@._jsonschema_date(t text) returns boolean
language sql immutable parallel safe
as $$
  select t ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'
    and (substr(t, 9) < '29' or pg_input_is_valid(case when left(t, 4) = '0000' then '2000' || substr(t, 5) else t end, 'date'))
$$;

create function @extschema@._jsonschema_duration(t text) returns boolean
language sql immutable parallel safe
as $$
  select t ~ '^P([0-9]+W|(?=.)([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)$'
    and t !~ 'Y[0-9]+D' and t !~ 'H[0-9]+S'
$$;

-- Whether a URI (or IRI) is valid by RFC 3986 (RFC 3987). A reference may lack the scheme.
create function @extschema@._jsonschema_uri(t text, is_reference boolean, is_international boolean) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  p constant text[] := @extschema@._jsonschema_uri_parts(t);
  more constant text := case when is_international then '\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000EFFFD' else '' end;
  own constant text := case when is_international then '\ue000-\uf8ff\U000F0000-\U0010FFFD' else '' end;
  -- Characters of host names, of user information, and of paths.
  host_chars constant text := '(?:[A-Za-z0-9._~!$&''()*+,;=' || more || '-]|%[0-9A-Fa-f]{2})*';
  user_chars constant text := '(?:[A-Za-z0-9._~!$&''()*+,;=:' || more || '-]|%[0-9A-Fa-f]{2})*';
  chars constant text := '[A-Za-z0-9._~!$&''()*+,;=:@' || more || '-]|%[0-9A-Fa-f]{2}';
  host text;
begin
  if p is null or (p[1] is null and not is_reference) or p[1] !~ '^[A-Za-z][A-Za-z0-9+.-]*$' then
    return false;
  end if;
  if p[3] !~ ('^(?:' || chars || '|/)*$') or p[4] !~ ('^(?:' || chars || '|[/?' || own || '])*$')
    or p[5] !~ ('^(?:' || chars || '|[/?])*$') then
    return false;
  end if;
  if p[1] is null and p[2] is null and p[3] ~ '^[^/]*:' then
    return false;
  end if;
  if p[2] is null then
    return p[3] !~ '^//';
  end if;
  if p[3] !~ '^(/|$)' or p[2] !~ ('^(?:' || user_chars || '@)?(?:\[[^\]]*\]|' || host_chars || ')(?::[0-9]*)?$') then
    return false;
  end if;
  host := substring(p[2] from '\[(.*)\]');
  return host is null or host ~ '^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&''()*+,;=:-]+$' or @extschema@._jsonschema_ipv6(host);
end
$$;

-- Whether a string has a format. Unknown formats, and formats that a draft doesn't have, are always valid.
create function @extschema@._jsonschema_format(format text, t text, draft int) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  case format
    when 'date' then return @extschema@._jsonschema_date(t);
    when 'date-time' then
      return t ~ '^.{10}[Tt]' and @extschema@._jsonschema_date(left(t, 10)) and @extschema@._jsonschema_time(substr(t, 12));
    when 'time' then return @extschema@._jsonschema_time(t);
    when 'email' then return @extschema@._jsonschema_email(t, false);
    when 'idn-email' then return @extschema@._jsonschema_email(t, true);
    when 'hostname' then return @extschema@._jsonschema_hostname(t, draft);
    when 'idn-hostname' then return draft < 7 or @extschema@._jsonschema_idn_hostname(t);
    when 'ipv4' then return @extschema@._jsonschema_ipv4(t);
    when 'ipv6' then return @extschema@._jsonschema_ipv6(t);
    when 'uri' then return @extschema@._jsonschema_uri(t, false, false);
    when 'uri-reference' then return draft < 6 or @extschema@._jsonschema_uri(t, true, false);
    when 'iri' then return draft < 7 or @extschema@._jsonschema_uri(t, false, true);
    when 'iri-reference' then return draft < 7 or @extschema@._jsonschema_uri(t, true, true);
    when 'uri-template' then return draft < 6 or t ~ (
      '^([^\u0001- "''<>%\\^`{|}\u007f]|%[0-9A-Fa-f]{2}'
      '|\{[+#./;?&=,!@|]?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?::[1-9][0-9]{0,3}|\*)?'
      '(?:,(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?::[1-9][0-9]{0,3}|\*)?)*\})*$');
    when 'json-pointer' then return draft < 6 or t ~ '^(/([^/~]|~[01])*)*$';
    when 'relative-json-pointer' then return draft < 7 or t ~ '^(0|[1-9][0-9]*)(#|(/([^/~]|~[01])*)*)$';
    when 'regex' then return @extschema@._jsonschema_is_regex(t);
    when 'uuid' then
      return draft < 19 or t ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
    when 'duration' then return draft < 19 or @extschema@._jsonschema_duration(t);
    else return true;
  end case;
end
$$;

create function @extschema@._jsonschema_is_regex(t text) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return '' ~ @extschema@._jsonschema_regex(t) is not null;
exception when invalid_regular_expression or feature_not_supported then
  return false;
end
$$;
