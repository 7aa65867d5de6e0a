create function url_encode(data bytea) returns text
language sql immutable
as $$ select translate(encode(data, 'base64'), E'+/=\n', '-_') $$;

create function url_decode(data text) returns bytea
language sql immutable
as $$ select decode(rpad(translate(data, '-_', '+/'), (length(data) + 3) / 4 * 4, '='), 'base64') $$;

create function algorithm_sign(signables text, secret text, algorithm text) returns text
language sql immutable
as $$
  -- For an unknown algorithm, passing null to hmac() would raise an error, so the algorithm's name is passed instead.
  select @extschema@.url_encode(@extschema:pgcrypto@.hmac(signables, secret,
    case algorithm when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' else '' end))
$$;

create function sign(payload json, secret text, algorithm text default 'HS256') returns text
language sql immutable
as $$
  select signables || '.' || @extschema@.algorithm_sign(signables, secret, algorithm)
  from (
    select @extschema@.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'UTF8'))
      || '.' || @extschema@.url_encode(convert_to(payload::text, 'UTF8'))
  ) as token (signables)
$$;

-- Converts a claim to a number. A claim that isn't a number doesn't limit the validity of the token.
create function try_cast_double(inp text) returns double precision
language plpgsql immutable
as $$
begin
  return inp::double precision;
exception when invalid_text_representation or numeric_value_out_of_range then
  return null;
end
$$;

create function verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean)
language sql immutable
as $$
  select
    parts.header,
    parts.payload,
    split_part(token, '.', 3) = @extschema@.algorithm_sign(split_part(token, '.', 1) || '.' || split_part(token, '.', 2), secret, algorithm)
      and extract(epoch from current_timestamp) >= coalesce(@extschema@.try_cast_double(parts.payload ->> 'nbf'), '-infinity')
      and extract(epoch from current_timestamp) < coalesce(@extschema@.try_cast_double(parts.payload ->> 'exp'), 'infinity')
  from (
    select
      convert_from(@extschema@.url_decode(split_part(token, '.', 1)), 'UTF8')::json as header,
      convert_from(@extschema@.url_decode(split_part(token, '.', 2)), 'UTF8')::json as payload
  ) as parts
$$;
