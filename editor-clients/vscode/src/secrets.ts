import { l10n, type SecretStorage } from 'vscode';

/** A provider whose key Perdure looks for, and the variable in which it does. */
export interface Vendor {
  readonly name: string;
  readonly variable: string;
}

export const VENDORS: readonly Vendor[] = [
  { name: 'Anthropic', variable: 'ANTHROPIC_API_KEY' },
  { name: 'OpenAI', variable: 'OPENAI_API_KEY' },
  { name: 'OpenRouter', variable: 'OPENROUTER_API_KEY' },
  { name: 'DeepSeek', variable: 'DEEPSEEK_API_KEY' },
  { name: 'Groq', variable: 'GROQ_API_KEY' },
  { name: 'Mistral', variable: 'MISTRAL_API_KEY' },
];

const PREFIX = 'perdure.apiKey.';

/** API keys in the editor's secret storage; they reach the server by its environment alone. */
export class ApiKeys {
  /** `configured` is the setting `model.apiKeyEnv`, empty when it is not set. */
  constructor(
    private readonly storage: SecretStorage,
    private readonly configured: () => string,
  ) {}

  /** The variables for which a key can be kept, the configured one first. */
  vendors(): Vendor[] {
    const own = this.configured();
    const known = VENDORS.filter((vendor) => vendor.variable !== own);
    const first = VENDORS.find((vendor) => vendor.variable === own) ?? {
      name: l10n.t('The configured endpoint'),
      variable: own,
    };
    return own === '' ? known : [first, ...known];
  }

  /** The stored keys, as variables of the server's environment. */
  async environment(): Promise<Record<string, string>> {
    const environment: Record<string, string> = {};
    for (const { variable } of this.vendors()) {
      const key = await this.storage.get(PREFIX + variable);
      if (key !== undefined) {
        environment[variable] = key;
      }
    }
    return environment;
  }

  async set(vendor: Vendor, key: string): Promise<void> {
    await this.storage.store(PREFIX + vendor.variable, key);
  }

  async remove(vendor: Vendor): Promise<void> {
    await this.storage.delete(PREFIX + vendor.variable);
  }
}
