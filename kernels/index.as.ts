export * from './arithmetic.as';
