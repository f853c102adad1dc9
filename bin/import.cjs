// Imports a module that has no CommonJS form. From the bundle itself, which vm runs, Node would warn of an experiment.
module.exports = (name) => import(name);
