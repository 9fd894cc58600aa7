"""What a module's class promises: annotations, routes, converters, the catalogue that everything else reads."""
