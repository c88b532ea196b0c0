/** An expression of a rule, as it was parsed. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string }
  | { readonly kind: 'everything' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: string }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-'; readonly value: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Expression])[] };

export type BinaryOperator =
  | 'or'
  | 'and'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';
