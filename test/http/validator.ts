/** Holds values to the schemas of an OpenAPI 3.1 document, which are JSON Schema 2020-12. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Answers what is wrong with a value, in words; nothing, if it is what the schema says. */
export function validatorOf(document: object): (schema: object, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  // The document around its schemas is no schema itself.
  ajv.addVocabulary(["openapi", "info", "servers", "tags", "paths", "components"]);
  ajv.addSchema({ $id: "document", ...document });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const key = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(key) as object);
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
