import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** JSON Schema, as an OpenAPI document 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Checks values against the schemas of a document; a word that no schema may have throws. */
export class DocumentChecks {
  readonly #ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false, validateSchema: false });

  constructor(private readonly document: { readonly components: object }) {
    addFormats.default(this.#ajv);
    this.#ajv.addFormat('decimal', /^-?\d+(?:\.\d+)?$/);
    this.#ajv.addVocabulary(['components', 'example']);
  }

  /** What is wrong with a value: empty where it is as the schema says, whose references are those of the document. */
  defects(schema: JsonSchema, value: unknown): string[] {
    const validate = this.#ajv.compile({ ...schema, components: this.document.components });
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  }
}
