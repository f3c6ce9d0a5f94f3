import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdentityEntity } from './identity.entity.js';
import { ProfileController } from './profile.controller.js';
import { UserEntity } from './user.entity.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Users and their profiles. */
@Module({
  imports: [TypeOrmModule.forFeature([UserEntity, IdentityEntity])],
  controllers: [ProfileController],
  providers: [UsersService, UsersRepository],
  exports: [UsersService],
})
export class UsersModule {}
