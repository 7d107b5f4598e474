/** How versions are named on the command line and in jobs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkAlias,
  checkName,
  looksLikeReference,
  readAlias,
  readExactReference,
  readReference,
} from '../../../src/store/registry/reference.js';

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
const alias = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,20}$/).filter((text) => text !== 'latest');
const version = fc.integer({ min: 1, max: 1e9 });

describe('a reference', () => {
  it('is a name, with a version or an alias', () => {
    fc.assert(
      fc.property(name, fc.oneof(alias, version.map(String)), (name, version) => {
        expect(readReference(`${name}@${version}`)).toEqual({ name, version });
        expect(readReference(name)).toEqual({ name, version: 'latest' });
      }),
    );
  });

  it('is nothing else', () => {
    for (const text of ['', '@1', 'a@', 'a@b@c', 'a b', 'a/b', '{a}', 'a:b', 'a@{b}', `a@${'x'.repeat(101)}`])
      expect(() => readReference(text), text).toThrow(/expected name/);
  });

  it('is exact only with a number', () => {
    expect(readExactReference('credit@12')).toEqual({ name: 'credit', version: 12 });
    for (const text of ['credit', 'credit@latest', 'credit@production', 'credit@1x'])
      expect(() => readExactReference(text), text).toThrow(/name@number/);
  });

  it('is what a file that is missing may have been meant as', () => {
    for (const text of ['credit', 'credit@3', 'credit.v2@production'])
      expect(looksLikeReference(text), text).toBe(true);
    for (const text of ['model.json', './credit', 'a/credit', 'credit model', '-'])
      expect(looksLikeReference(text), text).toBe(false);
  });
});

describe('an alias', () => {
  it('is read in the documented form, and with a slash', () => {
    fc.assert(
      fc.property(name, alias, version, (name, alias, version) => {
        const read = { name, alias, version: String(version) };
        expect(readAlias(`${name}@${alias}=${version}`)).toEqual(read);
        expect(readAlias(`${name}/${alias}=${version}`)).toEqual(read);
        expect(readAlias(`${name}@${alias}`)).toEqual({ ...read, version: undefined });
      }),
    );
  });

  it('can never be taken for a version', () => {
    for (const text of ['1', '01', '1e3', '3rd', 'latest', '-a', '', '.'])
      expect(() => checkAlias(text), text).toThrow();
    for (const text of [
      'credit=3',
      'credit@1=3',
      'credit@latest=3',
      'credit@a=',
      'credit@a=b=c',
      'production=credit@3',
    ])
      expect(() => readAlias(text), text).toThrow();
  });
});

describe('a name', () => {
  it('must be one that a reference can have', () => {
    fc.assert(fc.property(name, (text) => checkName(text, 'policy.name')));
    for (const text of ['', 'my policy', 'a@b', '{a}', 'a:b', 'ü'])
      expect(() => checkName(text, 'policy.name'), text).toThrow(/^policy.name: /);
  });
});
