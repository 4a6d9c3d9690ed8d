stint reprot
