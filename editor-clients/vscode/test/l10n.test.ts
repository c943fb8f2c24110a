import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import * as ts from 'typescript';
import { expect, test } from 'vitest';

/** Members and functions whose texts the user reads. */
const READ = /^(title|placeHolder|prompt|tooltip|label|description|text|message)$/;
const TOLD = /^(tell|.*show\w+Message|observer\.say|Error|InstallFailed|NoServer)$/;

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const path = join('src', name);
    return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
  });
const languages = readdirSync('.').flatMap(
  (name) => /^package\.nls\.(.+)\.json$/.exec(name)?.[1] ?? [],
);

function* nodes(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) {
    yield* nodes(child);
  }
}

function isMessage(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && /^(vscode\.)?l10n\.t$/.test(node.expression.getText());
}

/** The first argument of every `l10n.t`; no program finds one that is not a plain text. */
function messages(): string[] {
  const calls = sources.flatMap((source) => [...nodes(source)].filter(isMessage));
  return calls.map(({ arguments: [message] }) => {
    expect(message?.getText()).toSatisfy(
      () => message !== undefined && ts.isStringLiteral(message),
    );
    return (message as ts.StringLiteral).text;
  });
}

function bundle(language: string): Record<string, string> {
  const text = readFileSync(`l10n/bundle.l10n.${language}.json`, 'utf8');
  return JSON.parse(text) as Record<string, string>;
}

const fields = (text = ''): string[] => (text.match(/\{\d+\}/g) ?? []).sort();

test('the messages are there in the languages of the manifest', () => {
  expect(languages).not.toEqual([]);
  expect(readdirSync('l10n').sort()).toEqual(languages.map((name) => `bundle.l10n.${name}.json`));
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).toHaveProperty('l10n', './l10n');
});

test.each(languages)('%s has every message and no other', (language) => {
  expect(Object.keys(bundle(language)).sort()).toEqual([...new Set(messages())].sort());
});

test.each(languages)('%s has the fields of each message', (language) => {
  for (const [message, translated] of Object.entries(bundle(language))) {
    expect([message, fields(translated)]).toEqual([message, fields(message)]);
  }
});

test('no text that the user reads is there in English alone', () => {
  const found = sources.flatMap((source) =>
    [...nodes(source)]
      .flatMap(readByUser)
      .flatMap(englishIn)
      .map((text) => [source.fileName, text]),
  );
  expect(found).toEqual([]);
});

/** The expressions at a node that give a text to the user. */
function readByUser(node: ts.Node): ts.Node[] {
  if (ts.isPropertyAssignment(node) && READ.test(node.name.getText())) {
    return [node.initializer];
  }
  if (ts.isBinaryExpression(node) && ts.isPropertyAccessExpression(node.left)) {
    return READ.test(node.left.name.text) ? [node.right] : [];
  }
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const [first, second] = node.arguments ?? [];
    const message = node.expression.getText() === 'tell' ? second : first;
    return message !== undefined && TOLD.test(node.expression.getText()) ? [message] : [];
  }
  return [];
}

/** The words in the plain texts of an expression, without those that are in every language. */
function englishIn(expression: ts.Node): string[] {
  if (isMessage(expression) || isComparison(expression)) {
    return [];
  }
  if (ts.isStringLiteral(expression) || ts.isTemplateLiteralToken(expression)) {
    const text = expression.text.replace(/\$\([\w~-]*\)?|Perdure/g, '');
    return /[A-Za-z]{2}/.test(text) ? [text] : [];
  }
  return expression.getChildren().flatMap(englishIn);
}

function isComparison(node: ts.Node): boolean {
  return ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText());
}
