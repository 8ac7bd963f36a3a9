// Nothing: the project around it is only configured.
