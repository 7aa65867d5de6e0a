create schema shop;
create type shop.state as enum ('new', 'on hold', 'say "hi"');
create type shop.size as (width numeric, unit text);
create table shop.customers (
  id uuid primary key default gen_random_uuid(),
  full_name text not null,
  "e-mail" text,
  born date,
  created_at timestamptz not null default now()
);
create table shop.orders (
  id bigint generated always as identity primary key,
  customer uuid not null unique references shop.customers,
  state shop.state not null default 'new',
  states shop.state[],
  tags text[] not null default '{}',
  box shop.size,
  details jsonb,
  notes json not null,
  total numeric(10, 2) not null,
  weight real,
  paid boolean not null default false,
  photo bytea,
  span tstzrange,
  doubled numeric generated always as (total * 2) stored
);
create view shop.open_orders as select id, state from shop.orders where state = 'new';
create materialized view shop.totals as select customer, sum(total) as total from shop.orders group by customer;
