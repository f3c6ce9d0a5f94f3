/** The OpenAPI document, as far as docs/api.md is made of it. */
export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly tags: readonly string[] }>>>
  >;
}

export function apiPage(document: ApiDocument): string;
