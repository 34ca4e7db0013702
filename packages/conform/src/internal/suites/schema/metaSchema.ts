/**
 * The schema of a JSON Schema, in all dialects from draft-04 to 2020-12 together: what one of them allows is allowed. It
 * says what values keywords have, so that a keyword with a wrong value, such as the type `strnig`, is found.
 */
import type * as Schema from "effect/Schema"

const schema = { $ref: "#" }
const schemas = { type: "array", items: schema, minItems: 1 }
const named = { type: "object", additionalProperties: schema }
const count = { type: "integer", minimum: 0 }
const texts = { type: "array", items: { type: "string" } }
const text = { type: "string" }
const number = { type: "number" }
const types = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] }

export const metaSchema: Schema.Json = {
  type: ["object", "boolean"],
  properties: {
    $id: text,
    $schema: text,
    $ref: text,
    $anchor: text,
    $dynamicRef: text,
    $dynamicAnchor: text,
    $comment: text,
    $defs: named,
    definitions: named,
    title: text,
    description: text,
    examples: { type: "array" },
    type: { anyOf: [types, { type: "array", items: types, minItems: 1, uniqueItems: true }] },
    enum: { type: "array" },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    minimum: number,
    maximum: number,
    exclusiveMinimum: { type: ["number", "boolean"] },
    exclusiveMaximum: { type: ["number", "boolean"] },
    minLength: count,
    maxLength: count,
    pattern: text,
    format: text,
    items: { anyOf: [schema, { type: "array", items: schema }] },
    prefixItems: schemas,
    additionalItems: schema,
    unevaluatedItems: schema,
    contains: schema,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: { type: "boolean" },
    properties: named,
    patternProperties: named,
    additionalProperties: schema,
    unevaluatedProperties: schema,
    propertyNames: schema,
    // Draft 3 had a flag in a property, which some still write.
    required: { type: ["array", "boolean"], items: text },
    minProperties: count,
    maxProperties: count,
    dependentRequired: { type: "object", additionalProperties: texts },
    dependentSchemas: named,
    dependencies: { type: "object", additionalProperties: { anyOf: [schema, texts] } },
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: schema,
    if: schema,
    then: schema,
    else: schema
  }
}
