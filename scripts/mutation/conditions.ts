import { parseSync } from 'vite';

/**
 * The conditions of a source file, and what a mistake would have made of each: a comparison with
 * its edge moved or turned around, a test that asks the contrary, a term that is missing. Only the
 * text changes at that place, so that what a mutation is can be read.
 */
export type Mutation = {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
};

type Node = { readonly type: string; readonly start: number; readonly end: number };

const comparisons: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

export function mutationsOf(path: string, source: string): Mutation[] {
  const found: Mutation[] = [];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const mutate = (node: Node, after: string) => {
    found.push({ start: node.start, end: node.end, before: textOf(node), after });
  };
  const visit = (node: Node & Readonly<Record<string, unknown>>) => {
    const { left, right, operator, test } = node as Partial<Record<string, Node>> & typeof node;
    const turned = typeof operator === 'string' ? comparisons[operator] : undefined;
    if (node.type === 'BinaryExpression' && turned !== undefined) {
      mutate(node, `${textOf(left!)} ${turned} ${textOf(right!)}`);
    }
    if (node.type === 'LogicalExpression' && (operator as unknown) === '&&') {
      mutate(node, textOf(left!));
      mutate(node, textOf(right!));
    }
    if (/^(If|While|For)Statement$|^ConditionalExpression$/.test(node.type) && test) {
      mutate(test, `!(${textOf(test)})`);
    }
    for (const child of Object.values(node)) {
      for (const one of Array.isArray(child) ? child : [child]) {
        if (typeof one === 'object' && one !== null && 'type' in one) visit(one);
      }
    }
  };
  visit(parseSync(path, source).program as never);
  return found;
}
