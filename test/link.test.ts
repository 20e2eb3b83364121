import { describe, expect, it } from 'vitest';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import { createSigningKey } from '../src/protocol/signature.ts';

const tokenOf = (prefix: string) => `${prefix}_${'A'.repeat(43)}`;
const link = (purpose: Link['purpose'], prefix: string): Link => ({
  coordinator: 'https://host.example/prefix',
  purpose,
  study: '0123456789abcdef',
  token: tokenOf(prefix),
  coordinatorKey: createSigningKey().key,
});

describe('a link', () => {
  it.each([
    ['join', 'sfi'],
    ['study', 'sfc'],
    ['study', 'sfo'],
  ] as const)('for %s may hold a secret %s_', (purpose, prefix) => {
    const one = link(purpose, prefix);
    expect(linkText(one)).toMatch(/^https:\/\/host\.example\/prefix\/(join|study)#0123/);
    expect(parseLink(linkText(one))).toEqual(one);
    expect(parseLink(` ${linkText(one)}\n`)).toEqual(one);
  });

  it.each([
    ['join', 'sfo'],
    ['study', 'sfx'],
    ['join', ''],
  ] as const)(
    'for %s may not hold a secret %s_, and what is said of it has none',
    (purpose, prefix) => {
      const read = parseLink(linkText(link(purpose, prefix)));
      expect(read).toEqual({ problem: 'the part after # is not complete' });
    },
  );
});
