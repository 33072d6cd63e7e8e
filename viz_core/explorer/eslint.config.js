import js from "@eslint/js";
import globals from "globals";

export default [{
  ...js.configs.recommended,
  files: ["**/*.js"],
  languageOptions: { globals: globals.browser },
  rules: {
    ...js.configs.recommended.rules,
    eqeqeq: ["error", "always", { null: "ignore" }],
    "no-unused-vars": ["error", { ignoreRestSiblings: true, destructuredArrayIgnorePattern: "^_", argsIgnorePattern: "^_" }],
    "no-var": "error",
    "prefer-const": ["error", { destructuring: "all" }],
  },
}];
